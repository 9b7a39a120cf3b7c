import { type CodePointSet, codePointSet, hasCodePoint } from "../language/code-point-set.js";
import { unicodeProperty } from "./unicode-properties.js";

/** The characters that have variants of case. */
interface Cased {
  readonly text: string;
  readonly codePoints: ReadonlySet<number>;
}

let cased: Cased | undefined;
const variants = new Map<number, CodePointSet>();
/** Of sets that are still in use, such as classes. */
const known = new WeakMap<CodePointSet, CodePointSet>();

/** A set with the characters that differ from its own in case only, as `RegExp` has it with the flags `i` and `u`. */
export function caseVariants(set: CodePointSet): CodePointSet {
  let all = known.get(set);
  if (all === undefined) {
    all = codePointSet([...set, ...casedIn(set).flatMap(variantsOf)]);
    known.set(set, all);
  }
  return all;
}

function casedIn(set: CodePointSet): readonly number[] {
  const { codePoints } = allCased();
  const size = set.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  if (size > codePoints.size) return [...codePoints].filter((one) => hasCodePoint(set, one));
  return set.flatMap(charactersOf).filter((one) => codePoints.has(one));
}

function variantsOf(codePoint: number): CodePointSet {
  let found = variants.get(codePoint);
  if (found === undefined) {
    const pattern = new RegExp(String.raw`\u{${codePoint.toString(16)}}`, "giu");
    const all = [...allCased().text.matchAll(pattern)].map(([one]) => one.codePointAt(0) ?? 0);
    found = codePointSet(all.map((one) => [one, one]));
    variants.set(codePoint, found);
  }
  return found;
}

/** Made when they are first asked for: that takes a walk over all characters. */
function allCased(): Cased {
  if (cased === undefined) {
    const list = (unicodeProperty("Changes_When_Casemapped") ?? []).flatMap(charactersOf);
    const text = list.map((one) => String.fromCodePoint(one)).join("");
    cased = { text, codePoints: new Set(list) };
  }
  return cased;
}

function charactersOf([first, last]: readonly [first: number, last: number]): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
