/** Maximum nesting depth of JSON input; recursive code overflows the stack only far beyond it. */
export const DEEPEST_JSON = 128;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Nesting depth of the arrays and objects in a JSON text, which need not be valid. */
export function nestingOf(json: Uint8Array): number {
  let depth = 0;
  let maxDepth = 0;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index] ?? 0;
    if (inString) {
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
    } else if (OPENING.has(byte)) {
      maxDepth = Math.max(maxDepth, ++depth);
    } else if (CLOSING.has(byte)) {
      depth--;
    }
  }
  return maxDepth;
}
