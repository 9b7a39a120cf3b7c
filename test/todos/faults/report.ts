/** Prints a line that says what a suite has gone through. */
export function report(line: string): void {
  process.stdout.write(`${line}\n`);
}
