/** From pino's `error` on; `info` is 30, `warn` 40. */
const ERROR_LEVEL = 50;
/** A stack tells what has gone wrong; the same one many times tells no more. */
const MAX_SHOWN = 5;

/**
 * What a server's log says of errors of its own, for the screen: without it, a request that has failed is a number in the
 * results and nothing else.
 * @param output of the server: lines of JSON, among others
 * @returns undefined: no errors
 */
export function describeLoggedErrors(output: string): string | undefined {
  const errors = output.split("\n").flatMap((line) => errorOf(line) ?? []);
  if (errors.length === 0) return undefined;
  const distinct = [...new Set(errors)];
  const shown = distinct.slice(0, MAX_SHOWN).map((error) => `  ${error}`);
  return [
    `${errors.length} errors in its log, ${distinct.length} of them distinct:`,
    ...shown,
  ].join("\n");
}

function errorOf(line: string): string | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const { level, msg, err } = JSON.parse(line) as {
      readonly level?: unknown;
      readonly msg?: unknown;
      readonly err?: { readonly stack?: unknown };
    };
    if (typeof level !== "number" || level < ERROR_LEVEL) return undefined;
    return [msg, err?.stack].filter((part) => typeof part === "string").join(": ");
  } catch {
    // A line that was cut off, or another program's.
    return undefined;
  }
}
