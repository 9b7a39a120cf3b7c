import type { CodePointRange, GrammarNode } from "../grammar.js";
import {
  type CodePointSet,
  codePointSet,
  hasCodePoint,
  intersect,
  SURROGATES,
} from "./code-point-set.js";
import type { Expression } from "./expression.js";
import type { ExpressionStore } from "./expression-store.js";

type CharacterNode = Extract<GrammarNode, { type: "character" }>;

/** Builds one character of a set. Cached, since grammars share many sets. */
export function characterExpression(
  store: ExpressionStore,
  { ranges, encoding }: CharacterNode,
): Expression {
  return store.character(`${encoding}${ranges.join()}`, () => {
    const set = codePointSet(ranges);
    switch (encoding) {
      case "plain":
        return store.choice(set.flatMap((range) => utf8Characters(store, range)));
      case "in-json":
        return jsonCharacter(store, set, "usual");
      case "in-json-freely":
        return jsonCharacter(store, set, "any");
    }
  });
}

/** Range of values for each byte of a character's encoding. */
export type ByteRanges = readonly (readonly [first: number, last: number])[];

/** Last code points that are encoded in one, two, three and four bytes. */
const LENGTH_LIMITS = [0x7f, 0x7ff, 0xffff, 0x10_ffff];
/**
 * Returns the UTF-8 encodings of a range of code points, without surrogates, as a minimal list of
 * products of byte ranges (Thompson's construction, as in Cox, _Regular Expression Matching in the
 * Wild_, 2010).
 */
export function utf8Ranges([first, last]: CodePointRange): readonly ByteRanges[] {
  if (first > last) return [];
  if (first <= SURROGATES[1] && last >= SURROGATES[0]) {
    return [
      ...utf8Ranges([first, SURROGATES[0] - 1]),
      ...utf8Ranges([Math.max(first, SURROGATES[1] + 1), last]),
    ];
  }
  for (const limit of LENGTH_LIMITS) {
    if (first <= limit && limit < last) {
      return [...utf8Ranges([first, limit]), ...utf8Ranges([limit + 1, last])];
    }
  }
  return splitSameLength(encode(first), encode(last));
}

/** Builds one character of a range in UTF-8, as one expression per product of byte ranges. */
function utf8Characters(store: ExpressionStore, range: CodePointRange): readonly Expression[] {
  return utf8Ranges(range).map((bytes) =>
    store.sequenceOf(bytes.map(([first, last]) => store.byte(store.bytes.range(first, last)))),
  );
}

/**
 * Splits a range between two encodings of equal length into products in which each byte varies
 * independently.
 */
function splitSameLength(first: readonly number[], last: readonly number[]): readonly ByteRanges[] {
  const [firstByte = 0, ...firstRest] = first;
  const [lastByte = 0, ...lastRest] = last;
  if (firstRest.length === 0) return [[[firstByte, lastByte]]];
  const lowest = firstRest.map(() => 0x80);
  const highest = firstRest.map(() => 0xbf);
  if (firstByte === lastByte) {
    return splitSameLength(firstRest, lastRest).map((rest) => [[firstByte, firstByte], ...rest]);
  }
  const isWhole =
    firstRest.every((byte) => byte === 0x80) && lastRest.every((byte) => byte === 0xbf);
  if (isWhole) {
    return [[[firstByte, lastByte], ...highest.map((): [number, number] => [0x80, 0xbf])]];
  }
  if (firstRest.some((byte) => byte !== 0x80)) {
    return [
      ...splitSameLength(first, [firstByte, ...highest]),
      ...splitSameLength([firstByte + 1, ...lowest], last),
    ];
  }
  return [
    ...splitSameLength(first, [lastByte - 1, ...highest]),
    ...splitSameLength([lastByte, ...lowest], last),
  ];
}

function encode(codePoint: number): readonly number[] {
  return [...Buffer.from(String.fromCodePoint(codePoint))];
}

const CONTROLS: CodePointSet = [[0, 0x1f]];
const NOT_ASCII: CodePointSet = [
  [0x80, 0xd7ff],
  [0xe000, 0xffff],
];
/** Basic multilingual plane without surrogates, which never occur in a text. */
const BASIC_PLANE: CodePointSet = [
  [0, 0xd7ff],
  [0xe000, 0xffff],
];
const ASTRAL: CodePointSet = [[0x1_0000, 0x10_ffff]];
/** Characters that need no escape within a JSON string (RFC 8259, section 7). */
const UNESCAPED: CodePointSet = [
  [0x20, 0x21],
  [0x23, 0x5b],
  [0x5d, 0xd7ff],
  [0xe000, 0x10_ffff],
];
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["/", "\\/"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/**
 * Builds one character of a set as encoded within a JSON string.
 * @param escapes characters that may have `\u` escapes: only the ones that printers escape, or all
 */
function jsonCharacter(
  store: ExpressionStore,
  set: CodePointSet,
  escapes: "usual" | "any",
): Expression {
  const shortEscapes = [...SHORT_ESCAPES].flatMap(([one, written]) =>
    hasCodePoint(set, one.codePointAt(0) ?? 0) ? [written] : [],
  );
  const escaped = escapes === "any" ? BASIC_PLANE : [...CONTROLS, ...NOT_ASCII];
  const fourDigits = intersect(set, escaped).flatMap((range) => hexRange(store, range));
  return store.choice([
    ...intersect(set, UNESCAPED).flatMap((range) => utf8Characters(store, range)),
    store.words(shortEscapes),
    store.sequence(store.words(["\\u"]), store.choice(fourDigits)),
    ...intersect(set, ASTRAL).flatMap((range) => surrogatePairs(store, range)),
  ]);
}

const LOW_SURROGATES: CodePointRange = [0xdc00, 0xdfff];

/** Builds the surrogate pairs of characters beyond the basic plane: `\ud83d\ude00`. */
function surrogatePairs(
  store: ExpressionStore,
  [first, last]: CodePointRange,
): readonly Expression[] {
  const [firstHigh, firstLow] = splitSurrogates(first);
  const [lastHigh, lastLow] = splitSurrogates(last);
  const pair = (high: CodePointRange, low: CodePointRange) =>
    store.sequenceOf([
      store.words(["\\u"]),
      store.choice(hexRange(store, high)),
      store.words(["\\u"]),
      store.choice(hexRange(store, low)),
    ]);
  if (firstHigh === lastHigh) return [pair([firstHigh, firstHigh], [firstLow, lastLow])];
  const [lowFirst, lowLast] = LOW_SURROGATES;
  if (firstLow > lowFirst) {
    return [
      pair([firstHigh, firstHigh], [firstLow, lowLast]),
      ...surrogatePairs(store, [joinSurrogates(firstHigh + 1, lowFirst), last]),
    ];
  }
  if (lastLow < lowLast) {
    return [
      ...surrogatePairs(store, [first, joinSurrogates(lastHigh - 1, lowLast)]),
      pair([lastHigh, lastHigh], [lowFirst, lastLow]),
    ];
  }
  return [pair([firstHigh, lastHigh], LOW_SURROGATES)];
}

function splitSurrogates(codePoint: number): [high: number, low: number] {
  const offset = codePoint - 0x1_0000;
  return [0xd800 + (offset >>> 10), 0xdc00 + (offset & 0x3ff)];
}

function joinSurrogates(high: number, low: number): number {
  return 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

/** Builds the four hexadecimal digits, in either case, of the numbers of a range. */
function hexRange(store: ExpressionStore, [first, last]: CodePointRange): readonly Expression[] {
  return hexDigits(store, digitsOf(first), digitsOf(last));
}

function digitsOf(value: number): readonly number[] {
  return [12, 8, 4, 0].map((shift) => (value >>> shift) & 0xf);
}

function hexDigits(
  store: ExpressionStore,
  first: readonly number[],
  last: readonly number[],
): readonly Expression[] {
  const [low = 0, ...lowRest] = first;
  const [high = 0, ...highRest] = last;
  if (lowRest.length === 0) return [hexDigit(store, low, high)];
  if (low === high) {
    return [
      store.sequence(hexDigit(store, low, low), store.choice(hexDigits(store, lowRest, highRest))),
    ];
  }
  const zeros = lowRest.map(() => 0);
  const highest = lowRest.map(() => 0xf);
  const coversLow = lowRest.every((digit) => digit === 0);
  const coversHigh = highRest.every((digit) => digit === 0xf);
  const from = coversLow ? low : low + 1;
  const to = coversHigh ? high : high - 1;
  return [
    ...(coversLow ? [] : hexDigits(store, first, [low, ...highest])),
    ...(from > to
      ? []
      : [
          store.sequenceOf([
            hexDigit(store, from, to),
            ...lowRest.map(() => hexDigit(store, 0, 0xf)),
          ]),
        ]),
    ...(coversHigh ? [] : hexDigits(store, [high, ...zeros], last)),
  ];
}

function hexDigit(store: ExpressionStore, low: number, high: number): Expression {
  const digits = "0123456789ABCDEF".slice(low, high + 1);
  return store.byte(store.bytes.of(Buffer.from(digits + digits.toLowerCase())));
}
