import fc from "fast-check";
import type { Draw } from "../../support/sample-grammar.js";

const CHARACTERS = [...'aab1 \n"\\/é😀\u2028'];
const MAX_CHARACTERS = 10;

/** A generated expression: its source, and texts that are likely to match. */
interface Generated {
  readonly source: string;
  readonly sample: (draw: Draw) => string;
}

const atom: fc.Arbitrary<Generated> = fc.constantFrom(
  atomOf("a", "a"),
  atomOf("ab", "ab"),
  atomOf("1", "1"),
  atomOf("é", "é"),
  atomOf("😀", "😀"),
  atomOf("\\u{1F600}", "😀"),
  atomOf("\\ud83d\\ude00", "😀"),
  atomOf("\\xe9", "é"),
  atomOf("\\n", "\n"),
  atomOf("\\/", "/"),
  atomOf("\\\\", "\\"),
  atomOf(".", ...'ab"\\😀'),
  atomOf("\\d", "1"),
  atomOf("\\D", "a", "\n"),
  atomOf("\\w", "a", "1"),
  atomOf("\\W", " ", "é"),
  atomOf("\\s", " ", "\u2028"),
  atomOf("\\S", "a", "😀"),
  atomOf("[ab]", "a", "b"),
  atomOf("[^a]", "b", "\n", "😀"),
  atomOf("[é-😀]", "é", "😀", "\u2028"),
  atomOf('[\\d"\\\\]', "1", '"', "\\"),
  atomOf("[^\\s\\w]", '"', "é"),
  atomOf("[]", ""),
  atomOf("[^]", "\n"),
  atomOf("\\p{L}", "a", "é"),
  atomOf("\\P{Lu}", "a", "1"),
);
const anchor = fc.constantFrom(atomOf("^", ""), atomOf("$", ""));
const quantifier = fc.constantFrom<readonly [string, number, number]>(
  ["*", 0, 2],
  ["+", 1, 2],
  ["?", 0, 1],
  ["*?", 0, 2],
  ["{2}", 2, 2],
  ["{1,}", 1, 3],
  ["{0,2}", 0, 2],
  ["{2,3}?", 2, 3],
  ["{0}", 0, 0],
);

/** @param lookaheads whether there may be some */
function expression(depth: number, lookaheads: boolean): fc.Arbitrary<Generated> {
  const part = fc.oneof(
    { weight: 5, arbitrary: atom },
    { weight: 2, arbitrary: anchor },
    ...(depth === 0
      ? []
      : [
          { weight: 2, arbitrary: group(depth - 1, lookaheads) },
          // A repeated part with a look-ahead is not supported, except for small counts.
          { weight: 3, arbitrary: repeated(depth - 1) },
          ...(lookaheads ? [{ weight: 2, arbitrary: lookahead(depth - 1) }] : []),
        ]),
  );
  return fc
    .array(fc.array(part, { maxLength: 3 }), { minLength: 1, maxLength: 2 })
    .map((options) => ({
      source: options.map((parts) => parts.map(({ source }) => source).join("")).join("|"),
      sample: (draw) =>
        (options[draw(options.length)] ?? []).map(({ sample }) => sample(draw)).join(""),
    }));
}

function group(depth: number, lookaheads: boolean): fc.Arbitrary<Generated> {
  return fc
    .tuple(fc.constantFrom("(", "(?:", "(?<name>"), expression(depth, lookaheads))
    .map(([open, { source, sample }]) => ({
      source: `${open}${source})`,
      sample,
    }));
}

function repeated(depth: number): fc.Arbitrary<Generated> {
  return fc
    .tuple(fc.oneof(atom, expression(depth, false)), quantifier)
    .map(([{ source, sample }, [text, min, max]]) => ({
      source: `(?:${source})${text}`,
      sample: (draw) =>
        Array.from({ length: min + draw(max - min + 1) }, () => sample(draw)).join(""),
    }));
}

function lookahead(depth: number): fc.Arbitrary<Generated> {
  return fc
    .tuple(fc.constantFrom("(?=", "(?!"), expression(depth, true))
    .map(([open, { source }]) => ({
      source: `${open}${source})`,
      sample: () => "",
    }));
}

function atomOf(source: string, ...samples: readonly string[]): Generated {
  return { source, sample: (draw) => samples[draw(samples.length)] ?? "" };
}

/** Expressions with everything that is supported. */
export const generatedRegex: fc.Arbitrary<Generated> = fc
  .oneof(expression(2, false), expression(2, true))
  .map(({ source, sample }) => ({ source: withDistinctNames(source), sample }));

function withDistinctNames(source: string): string {
  let count = 0;
  return source.replaceAll("<name>", () => `<name${count++}>`);
}

/** Texts that are likely to match, and some that differ a little. */
export function textsFor({ sample }: Generated, draw: Draw): readonly string[] {
  const one = [...sample(draw)].slice(0, MAX_CHARACTERS);
  const other = () => CHARACTERS[draw(CHARACTERS.length)] ?? "a";
  const at = draw(one.length + 1);
  return [
    one,
    [...one, other()],
    [other(), ...one],
    one.slice(0, at),
    [...one.slice(0, at), other(), ...one.slice(at + draw(2))],
    [...one, ...sample(draw)].slice(0, MAX_CHARACTERS),
  ].map((characters) => characters.join(""));
}
