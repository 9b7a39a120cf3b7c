/** Maximum nesting depth of JSON input; recursive code overflows the stack only far beyond it. */
export const MAX_JSON_DEPTH = 128;

/** Maximum number of values of JSON input. */
export const MAX_JSON_VALUES = 40_000;

/** Maximum number of members of an object in JSON input: biases for ten thousand tokens fit. */
export const MAX_JSON_MEMBERS = 12_000;

/** Size of a JSON text, which determines the cost of parsing and validating it. */
export interface JsonSize {
  /** Nesting depth of arrays and objects. */
  readonly depth: number;
  /** Number of values, keys not counted; an upper bound: an empty array or object counts twice. */
  readonly values: number;
  /** Number of members of the largest object; an empty object counts as one member. */
  readonly members: number;
  /** Bytes between two structural characters outside strings: a number or white space. */
  readonly longestScalar: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Meaning of each byte outside strings, as a lookup table. */
const PLAIN = 0;
const OBJECT = 1;
const ARRAY = 2;
const CLOSING = 3;
const COMMA = 4;
const STRING = 5;
const kinds = new Uint8Array(256);
for (const [byte, kind] of [
  ["{", OBJECT],
  ["[", ARRAY],
  ["}", CLOSING],
  ["]", CLOSING],
  [",", COMMA],
  ['"', STRING],
] as const)
  kinds[byte.charCodeAt(0)] = kind;

const UNCOUNTED = Number.NEGATIVE_INFINITY;

const UNLIMITED: JsonSize = {
  depth: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
  members: Number.POSITIVE_INFINITY,
  longestScalar: Number.POSITIVE_INFINITY,
};

/** Limits of JSON input; scalars are not limited. */
export const JSON_LIMITS: JsonSize = {
  ...UNLIMITED,
  depth: MAX_JSON_DEPTH,
  values: MAX_JSON_VALUES,
  members: MAX_JSON_MEMBERS,
};

/**
 * Measures a JSON text, which need not be valid, without parsing it.
 * @param limits measuring stops where a limit is exceeded
 */
export function measureJsonSize(json: Uint8Array, limits: JsonSize = UNLIMITED): JsonSize {
  /**
   * Members so far of the innermost open object, and of its enclosing objects; arrays are not
   * counted.
   */
  let current = UNCOUNTED;
  const outer: number[] = [];
  let depth = 0;
  let values = json.length === 0 ? 0 : 1;
  let members = 0;
  let longestScalar = 0;
  let scalarStart = 0;
  for (let index = 0; index < json.length; index++) {
    const kind = kinds[json[index] ?? 0];
    if (kind === PLAIN) {
      if (index - scalarStart < limits.longestScalar) continue;
      longestScalar = index - scalarStart + 1;
      return { depth, values, members, longestScalar };
    }
    longestScalar = Math.max(longestScalar, index - scalarStart);
    switch (kind) {
      case STRING:
        index = findStringEnd(json, index);
        break;
      case CLOSING:
        current = outer.pop() ?? UNCOUNTED;
        break;
      case COMMA:
        values++;
        current++;
        break;
      default:
        values++;
        outer.push(current);
        current = kind === OBJECT ? 1 : UNCOUNTED;
        depth = Math.max(depth, outer.length);
    }
    members = Math.max(members, current);
    if (depth > limits.depth || values > limits.values || members > limits.members) {
      return { depth, values, members, longestScalar };
    }
    scalarStart = index + 1;
  }
  longestScalar = Math.max(longestScalar, json.length - scalarStart);
  return { depth, values, members, longestScalar };
}

/** Whether a size exceeds any of the limits. */
export function exceeds(size: JsonSize, limits: JsonSize): boolean {
  return (
    size.depth > limits.depth ||
    size.values > limits.values ||
    size.members > limits.members ||
    size.longestScalar > limits.longestScalar
  );
}

/**
 * Describes excessive nesting of a JSON text as `expected …, got …`; `undefined` if the nesting is
 * within the limit. `JSON.parse` accepts any depth, but printing, copying and validating its result
 * is recursive.
 */
export function describeExcessNesting(json: Uint8Array): string | undefined {
  const { depth } = measureJsonSize(json, { ...UNLIMITED, depth: MAX_JSON_DEPTH });
  if (depth <= MAX_JSON_DEPTH) return undefined;
  return `expected at most ${MAX_JSON_DEPTH} levels of nesting, got more`;
}

/** Bytes of a string scanned one by one between two native searches. */
const SCANNED_BYTES = 32;

/**
 * Returns the index of the quote that closes the string opened at `start`, or the text's length if
 * there is none. Nearly all bytes of a long conversation are inside strings, which a native search
 * skips; where escapes are dense, scanning is faster than repeated searches.
 */
function findStringEnd(json: Uint8Array, start: number): number {
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
