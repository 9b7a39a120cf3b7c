/** Formats a value as commands print it with `--output json`. */
export function formatJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
