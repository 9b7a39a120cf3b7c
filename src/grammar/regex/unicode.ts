import type { CodePointRange } from "../grammar.js";
import {
  type CodePointSet,
  codePointSet,
  hasCodePoint,
  MAX_CODE_POINT,
} from "../language/code-point-set.js";

const properties = new Map<string, CodePointSet | undefined>();
const MAX_KEPT_PROPERTIES = 200;

/** Returns the characters of a Unicode property, as in `\p{Lu}`; `undefined` if unknown. */
export function findUnicodeProperty(name: string): CodePointSet | undefined {
  if (!properties.has(name)) {
    if (properties.size >= MAX_KEPT_PROPERTIES) properties.clear();
    properties.set(name, findProperty(name));
  }
  return properties.get(name);
}

function findProperty(name: string): CodePointSet | undefined {
  if (!/^\w{1,40}(=\w{1,40})?$/.test(name)) return undefined;
  let expression: RegExp;
  try {
    expression = new RegExp(`\\p{${name}}+`, "gu");
  } catch {
    return undefined;
  }
  return getPlanes().flatMap(({ text, unitsEach, first }) =>
    [...text.matchAll(expression)].map(({ index, 0: run }): CodePointRange => {
      const begin = first + index / unitsEach;
      return [begin, begin + run.length / unitsEach - 1];
    }),
  );
}

/** Contiguous characters with the same number of UTF-16 units each. */
interface Plane {
  readonly first: number;
  readonly unitsEach: number;
  readonly text: string;
}

let planes: readonly Plane[] | undefined;

/** Returns all characters except surrogates. Created on demand, as they take 4 MiB. */
function getPlanes(): readonly Plane[] {
  planes ??= [
    { first: 0, unitsEach: 1, text: textOf(1, 0, 0xd7ff) },
    { first: 0xe000, unitsEach: 1, text: textOf(1, 0xe000, 0xffff) },
    { first: 0x1_0000, unitsEach: 2, text: textOf(2, 0x1_0000, MAX_CODE_POINT) },
  ];
  return planes;
}

/** Returns the characters from `first` to `last` as one text. */
function textOf(unitsEach: number, first: number, last: number): string {
  const units = Buffer.alloc((last - first + 1) * unitsEach * 2);
  let offset = 0;
  const write = (unit: number) => {
    offset = units.writeUInt16LE(unit, offset);
  };
  for (let codePoint = first; codePoint <= last; codePoint++) {
    if (unitsEach === 1) write(codePoint);
    else {
      write(0xd800 + ((codePoint - 0x1_0000) >>> 10));
      write(0xdc00 + (codePoint & 0x3ff));
    }
  }
  return units.toString("utf16le");
}

/** Characters with case variants. */
interface CasedCharacters {
  readonly text: string;
  readonly codePoints: ReadonlySet<number>;
}

let cased: CasedCharacters | undefined;
const variants = new Map<number, CodePointSet>();
/** Results for sets that are still referenced, such as those of classes. */
const variantsBySet = new WeakMap<CodePointSet, CodePointSet>();

/** Adds the characters that differ only in case, as `RegExp` does with the flags `i` and `u`. */
export function addCaseVariants(set: CodePointSet): CodePointSet {
  let all = variantsBySet.get(set);
  if (all === undefined) {
    all = codePointSet([...set, ...selectCased(set).flatMap(findCaseVariants)]);
    variantsBySet.set(set, all);
  }
  return all;
}

function selectCased(set: CodePointSet): readonly number[] {
  const { codePoints } = getCasedCharacters();
  const size = set.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  if (size > codePoints.size) return [...codePoints].filter((one) => hasCodePoint(set, one));
  return set.flatMap(expandRange).filter((one) => codePoints.has(one));
}

function findCaseVariants(codePoint: number): CodePointSet {
  let found = variants.get(codePoint);
  if (found === undefined) {
    const pattern = new RegExp(String.raw`\u{${codePoint.toString(16)}}`, "giu");
    const all = [...getCasedCharacters().text.matchAll(pattern)].map(
      ([one]) => one.codePointAt(0) ?? 0,
    );
    found = codePointSet(all.map((one) => [one, one]));
    variants.set(codePoint, found);
  }
  return found;
}

/** Computed on demand, as it requires a walk over all characters. */
function getCasedCharacters(): CasedCharacters {
  if (cased === undefined) {
    const list = (findUnicodeProperty("Changes_When_Casemapped") ?? []).flatMap(expandRange);
    const text = list.map((one) => String.fromCodePoint(one)).join("");
    cased = { text, codePoints: new Set(list) };
  }
  return cased;
}

function expandRange([first, last]: readonly [first: number, last: number]): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
