import type { CodePointRange } from "../grammar.js";

/** Set of code points: disjoint, non-adjacent ranges in ascending order. */
export type CodePointSet = readonly CodePointRange[];

export const MAX_CODE_POINT = 0x10_ffff;
export const ALL_CODE_POINTS: CodePointSet = [[0, MAX_CODE_POINT]];

/** WhiteSpace and LineTerminator of ECMA-262. */
export const WHITE_SPACE: CodePointSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

/** UTF-16 surrogates, which never occur in a text. */
export const SURROGATES: CodePointRange = [0xd800, 0xdfff];

/** Builds a set from ranges in any order. */
export function codePointSet(ranges: readonly CodePointRange[]): CodePointSet {
  const sorted = ranges.filter(([first, last]) => first <= last).toSorted(([a], [b]) => a - b);
  const merged: [number, number][] = [];
  for (const [first, last] of sorted) {
    const previous = merged.at(-1);
    if (previous !== undefined && first <= previous[1] + 1)
      previous[1] = Math.max(previous[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

/** Returns the code points that are not in a set. */
export function computeComplement(set: CodePointSet): CodePointSet {
  const gaps: CodePointRange[] = [];
  let next = 0;
  for (const [first, last] of set) {
    if (first > next) gaps.push([next, first - 1]);
    next = last + 1;
  }
  return next <= MAX_CODE_POINT ? [...gaps, [next, MAX_CODE_POINT]] : gaps;
}

export function intersect(a: CodePointSet, b: CodePointSet): CodePointSet {
  return codePointSet(
    a.flatMap(([first, last]) =>
      b.map(([from, to]): CodePointRange => [Math.max(first, from), Math.min(last, to)]),
    ),
  );
}

export function subtract(a: CodePointSet, b: CodePointSet): CodePointSet {
  return intersect(a, computeComplement(b));
}

export function isSurrogate(codePoint: number): boolean {
  return SURROGATES[0] <= codePoint && codePoint <= SURROGATES[1];
}

export function hasCodePoint(set: CodePointSet, codePoint: number): boolean {
  return set.some(([first, last]) => first <= codePoint && codePoint <= last);
}
