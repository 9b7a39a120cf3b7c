/** Prints a summary line of a suite. */
export function report(line: string): void {
  process.stdout.write(`${line}\n`);
}
