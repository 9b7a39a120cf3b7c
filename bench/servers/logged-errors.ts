/** Pino's `error` level; `info` is 30, `warn` 40. */
const ERROR_LEVEL = 50;
/** Number of distinct errors shown; repetitions of a stack add no information. */
const MAX_SHOWN = 5;

/**
 * Summarises the errors in a server's log for the terminal; the results only count failed requests.
 * @param output of the server: lines of JSON, among others
 * @returns undefined if there are no errors
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
    // A truncated line, or the output of another program.
    return undefined;
  }
}
