/** What some clients' libraries take for a line break, too: Python's `splitlines`. JSON escapes the others. */
const OTHER_LINE_BREAKS = /[\u0085\u2028\u2029]/g;

/** JSON text as one line, whoever divides it into lines. */
export function oneLine(json: string): string {
  return json.replaceAll(OTHER_LINE_BREAKS, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
