import type { CodePointRange } from "../grammar.js";
import type { Expression } from "./expression.js";
import type { ExpressionStore } from "./expression-store.js";

/** A range of values for each byte of a character's encoding. */
export type ByteRanges = readonly (readonly [first: number, last: number])[];

/** The last code points that are encoded in one, two, three and four bytes. */
const LENGTH_LIMITS = [0x7f, 0x7ff, 0xffff, 0x10_ffff];
/** Halves of characters in UTF-16, of which no text consists. */
export const SURROGATES: CodePointRange = [0xd800, 0xdfff];

/**
 * The UTF-8 encodings of a range of code points, without surrogates, as few products of byte ranges as
 * Thompson's construction needs (as in Cox, _Regular Expression Matching in the Wild_, 2010).
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
  return sameLength(encode(first), encode(last));
}

/** One character of a range, in UTF-8; one expression for each product of bytes. */
export function utf8Characters(
  store: ExpressionStore,
  range: CodePointRange,
): readonly Expression[] {
  return utf8Ranges(range).map((bytes) =>
    store.sequenceOf(bytes.map(([first, last]) => store.byte(store.bytes.range(first, last)))),
  );
}

/** Splits two encodings of one length into ranges in which each byte varies on its own. */
function sameLength(first: readonly number[], last: readonly number[]): readonly ByteRanges[] {
  const [firstByte = 0, ...firstRest] = first;
  const [lastByte = 0, ...lastRest] = last;
  if (firstRest.length === 0) return [[[firstByte, lastByte]]];
  const lowest = firstRest.map(() => 0x80);
  const highest = firstRest.map(() => 0xbf);
  if (firstByte === lastByte) {
    return sameLength(firstRest, lastRest).map((rest) => [[firstByte, firstByte], ...rest]);
  }
  const isWhole =
    firstRest.every((byte) => byte === 0x80) && lastRest.every((byte) => byte === 0xbf);
  if (isWhole) {
    return [[[firstByte, lastByte], ...highest.map((): [number, number] => [0x80, 0xbf])]];
  }
  if (firstRest.some((byte) => byte !== 0x80)) {
    return [
      ...sameLength(first, [firstByte, ...highest]),
      ...sameLength([firstByte + 1, ...lowest], last),
    ];
  }
  return [
    ...sameLength(first, [lastByte - 1, ...highest]),
    ...sameLength([lastByte, ...lowest], last),
  ];
}

function encode(codePoint: number): readonly number[] {
  return [...Buffer.from(String.fromCodePoint(codePoint))];
}
