/** Maximum nesting depth of JSON input; recursive code overflows the stack only far beyond it. */
export const MAX_JSON_DEPTH = 128;

/** Maximum number of values of JSON input. */
export const MAX_JSON_VALUES = 40_000;

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

/** What a byte outside strings means; a table, because every byte is looked up. */
const PLAIN = 0;
const OPENING = 1;
const CLOSING = 2;
const SEPARATING = 3;
const kinds = new Uint8Array(256);
for (const byte of [0x5b, 0x7b]) kinds[byte] = OPENING;
for (const byte of [0x5d, 0x7d]) kinds[byte] = CLOSING;
kinds[QUOTE] = SEPARATING;
kinds[COMMA] = SEPARATING;

const UNLIMITED: JsonSize = {
  depth: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
  longestScalar: Number.POSITIVE_INFINITY,
};

/**
 * Measures a JSON text, which need not be valid, without parsing it.
 * @param limits where measuring stops: what exceeds one of them is not read to its end
 */
export function jsonSizeOf(json: Uint8Array, limits: JsonSize = UNLIMITED): JsonSize {
  let depth = 0;
  let maxDepth = 0;
  let values = json.length === 0 ? 0 : 1;
  let longestScalar = 0;
  let scalarStart = 0;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index] ?? 0;
    const kind = kinds[byte];
    if (kind === PLAIN) {
      if (index - scalarStart < limits.longestScalar) continue;
      longestScalar = index - scalarStart + 1;
      return { depth: maxDepth, values, longestScalar };
    }
    longestScalar = Math.max(longestScalar, index - scalarStart);
    if (kind === CLOSING) depth--;
    else if (byte === QUOTE) index = endOfString(json, index);
    else values++;
    if (kind === OPENING) maxDepth = Math.max(maxDepth, ++depth);
    if (maxDepth > limits.depth || values > limits.values) {
      return { depth: maxDepth, values, longestScalar };
    }
    scalarStart = index + 1;
  }
  longestScalar = Math.max(longestScalar, json.length - scalarStart);
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
