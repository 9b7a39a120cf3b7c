/** Formats JSON with one member per line; returns incomplete JSON and other texts unchanged. */
export function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
