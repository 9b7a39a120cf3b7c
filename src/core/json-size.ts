/** Maximum nesting depth of JSON input; recursive code overflows the stack only far beyond it. */
export const MAX_JSON_DEPTH = 128;

/** What a JSON text costs to parse and to validate. */
export interface JsonSize {
  /** Nesting depth of arrays and objects. */
  readonly depth: number;
  /** Number of values, keys not counted; an upper bound: an empty array or object counts twice. */
  readonly values: number;
  /** Bytes between two structural characters outside strings: a number or white space. */
  readonly longestScalar: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Measures a JSON text, which need not be valid, without parsing it. */
export function jsonSizeOf(json: Uint8Array): JsonSize {
  let depth = 0;
  let maxDepth = 0;
  let values = json.length === 0 ? 0 : 1;
  let longestScalar = 0;
  let scalarStart = 0;
  const endScalar = (index: number) => {
    longestScalar = Math.max(longestScalar, index - scalarStart);
    scalarStart = index + 1;
  };
  for (let index = 0; index < json.length; index++) {
    const byte = json[index] ?? 0;
    if (byte === QUOTE) {
      endScalar(index);
      index = endOfString(json, index);
      scalarStart = index + 1;
    } else if (byte === COMMA) {
      endScalar(index);
      values++;
    } else if (OPENING.has(byte)) {
      endScalar(index);
      values++;
      maxDepth = Math.max(maxDepth, ++depth);
    } else if (CLOSING.has(byte)) {
      endScalar(index);
      depth--;
    }
  }
  endScalar(json.length);
  return { depth: maxDepth, values, longestScalar };
}

/** Bytes of a string that are scanned one by one between two native searches. */
const SCANNED_BYTES = 32;

/**
 * Index of the quote that closes the string opened at `start`; the text's length if none does. Nearly
 * all bytes of a long conversation are inside strings, and a native search skips those; where escapes
 * are dense, scanning is faster than many searches.
 */
function endOfString(json: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < json.length) {
    const end = Math.min(index + SCANNED_BYTES, json.length);
    for (; index < end; index++) {
      if (json[index] === QUOTE) return index;
      if (json[index] === BACKSLASH) index++;
    }
    const quote = json.indexOf(QUOTE, index);
    if (quote < 0) break;
    let escapes = 0;
    while (quote - escapes > index && json[quote - escapes - 1] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return quote;
    index = quote + 1;
  }
  return json.length;
}
