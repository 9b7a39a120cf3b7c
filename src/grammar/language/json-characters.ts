import type { CodePointRange } from "../grammar.js";
import { type CodePointSet, hasCodePoint, intersectionOf } from "./code-point-set.js";
import type { Expression } from "./expression.js";
import type { ExpressionStore } from "./expression-store.js";
import { utf8Characters } from "./utf8.js";

const CONTROLS: CodePointSet = [[0, 0x1f]];
const NOT_ASCII: CodePointSet = [
  [0x80, 0xd7ff],
  [0xe000, 0xffff],
];
/** All but surrogates, of which no text consists. */
const BASIC_PLANE: CodePointSet = [
  [0, 0xd7ff],
  [0xe000, 0xffff],
];
const ASTRAL: CodePointSet = [[0x1_0000, 0x10_ffff]];
/** What stands for itself within a JSON string (RFC 8259, section 7). */
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
 * One character of a set as it is written within a JSON string.
 * @param escapes which characters may have `\u` escapes: those that printers write so, or all
 */
export function jsonCharacter(
  store: ExpressionStore,
  set: CodePointSet,
  escapes: "usual" | "any",
): Expression {
  const shortEscapes = [...SHORT_ESCAPES].flatMap(([one, written]) =>
    hasCodePoint(set, one.codePointAt(0) ?? 0) ? [written] : [],
  );
  const escaped = escapes === "any" ? BASIC_PLANE : [...CONTROLS, ...NOT_ASCII];
  const fourDigits = intersectionOf(set, escaped).flatMap((range) => hexRange(store, range));
  return store.choice([
    ...intersectionOf(set, UNESCAPED).flatMap((range) => utf8Characters(store, range)),
    store.words(shortEscapes),
    store.sequence(store.words(["\\u"]), store.choice(fourDigits)),
    ...intersectionOf(set, ASTRAL).flatMap((range) => surrogatePairs(store, range)),
  ]);
}

const LOW_SURROGATES: CodePointRange = [0xdc00, 0xdfff];

/** `\ud83d\ude00`: the halves of characters beyond the basic plane. */
function surrogatePairs(
  store: ExpressionStore,
  [first, last]: CodePointRange,
): readonly Expression[] {
  const [firstHigh, firstLow] = halves(first);
  const [lastHigh, lastLow] = halves(last);
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
      ...surrogatePairs(store, [joined(firstHigh + 1, lowFirst), last]),
    ];
  }
  if (lastLow < lowLast) {
    return [
      ...surrogatePairs(store, [first, joined(lastHigh - 1, lowLast)]),
      pair([lastHigh, lastHigh], [lowFirst, lastLow]),
    ];
  }
  return [pair([firstHigh, lastHigh], LOW_SURROGATES)];
}

function halves(codePoint: number): [high: number, low: number] {
  const offset = codePoint - 0x1_0000;
  return [0xd800 + (offset >>> 10), 0xdc00 + (offset & 0x3ff)];
}

function joined(high: number, low: number): number {
  return 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

/** Four hexadecimal digits, in either case, of the numbers of a range. */
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
