import fc from "fast-check";
import type { Draw } from "../../support/sample-grammar.js";

/** A part of a generated grammar. */
type Part =
  | { readonly kind: "literal"; readonly characters: readonly string[] }
  | { readonly kind: "class"; readonly ranges: readonly Range[]; readonly isNegated: boolean }
  | { readonly kind: "any" }
  | { readonly kind: "reference"; readonly rule: number }
  | { readonly kind: "group"; readonly options: readonly (readonly Part[])[] }
  | { readonly kind: "repeat"; readonly of: Part; readonly min: number; readonly max?: number };
type Range = readonly [first: string, last: string];

const RULES = 3;
const DEPTH = 2;
const CHARACTERS = [...'aab01 \n"\\]-[^é~😀'];
const MAX_EXPANSIONS = 12;
/** llama.cpp takes exponential time for ambiguous grammars. */
const MAX_CHARACTERS = 8;

const character = fc.constantFrom(...CHARACTERS);
const literal: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant("literal" as const),
  characters: fc.array(character, { minLength: 1, maxLength: 3 }),
});
const characterClass: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant("class" as const),
  ranges: fc.array(
    fc.tuple(character, character).map(([a, b]): Range => (code(a) <= code(b) ? [a, b] : [b, a])),
    { minLength: 1, maxLength: 3 },
  ),
  isNegated: fc.boolean(),
});
const simple = fc.oneof(
  { weight: 3, arbitrary: literal },
  { weight: 2, arbitrary: characterClass },
  fc.constant<Part>({ kind: "any" }),
);
const bounds = fc.constantFrom<{ readonly min: number; readonly max?: number }>(
  { min: 0 },
  { min: 1 },
  { min: 0, max: 1 },
  { min: 2, max: 2 },
  { min: 2 },
  { min: 1, max: 3 },
  { min: 0, max: 2 },
);

/** @param rules that may begin it: later ones, so that there is no left recursion */
function part(rules: readonly number[], depth: number): fc.Arbitrary<Part> {
  const leaves = [simple, ...(rules.length > 0 ? [reference(rules)] : [])];
  if (depth === 0) return fc.oneof(...leaves);
  const inner = fc.oneof(...leaves, group(rules, depth - 1));
  return fc.oneof(
    inner,
    fc.tuple(inner, bounds).map(
      ([of, { min, max }]): Part => ({
        kind: "repeat",
        of,
        min,
        ...(max !== undefined && { max }),
      }),
    ),
  );
}

function reference(rules: readonly number[]): fc.Arbitrary<Part> {
  return fc.constantFrom(...rules).map((rule): Part => ({ kind: "reference", rule }));
}

function group(rules: readonly number[], depth: number): fc.Arbitrary<Part> {
  return options(rules, depth).map((list): Part => ({ kind: "group", options: list }));
}

function options(
  rules: readonly number[],
  depth: number,
): fc.Arbitrary<readonly (readonly Part[])[]> {
  const unguarded = fc.array(part(rules, depth), { maxLength: 3 });
  const all = Array.from({ length: RULES }, (_, rule) => rule);
  const guarded = fc
    .tuple(literal, fc.array(part(all, depth), { maxLength: 2 }))
    .map(([first, rest]) => [first, ...rest]);
  return fc.array(fc.oneof(unguarded, guarded), { minLength: 1, maxLength: 2 });
}

/** The options of each rule; the first rule is the root. */
export type GeneratedRules = readonly (readonly (readonly Part[])[])[];

/** Grammars without left recursion. */
export const generatedRules: fc.Arbitrary<GeneratedRules> = fc
  .tuple(
    ...Array.from({ length: RULES }, (_, rule) =>
      options(
        Array.from({ length: RULES - rule - 1 }, (_, index) => rule + 1 + index),
        DEPTH,
      ),
    ),
  )
  .map((rules) => rules);

/** The text of a grammar, in one of many ways to write it. */
export function written(rules: GeneratedRules, draw: Draw): string {
  const space = () => ["", " ", "  ", "\t"][draw(4)] ?? "";
  const gap = (isNested: boolean) =>
    isNested && draw(6) === 0 ? '\n # a comment | ( " \n ' : `${space()} `;
  const writeOptions = (list: readonly (readonly Part[])[], isNested: boolean): string =>
    list
      .map((parts) => writeParts(parts, isNested))
      .join(draw(4) === 0 ? "|\n\t" : ` ${space()}|${space()}`);
  // After | and a line break, an empty alternative does not end a rule.
  const writeParts = (parts: readonly Part[], isNested: boolean): string =>
    parts.length === 0 ? '""' : parts.map((one) => writePart(one, isNested)).join(gap(isNested));
  const writePart = (one: Part, isNested: boolean): string => {
    switch (one.kind) {
      case "literal":
        return `"${one.characters.map((character) => writeCharacter(character, '"\\', draw)).join("")}"`;
      case "class": {
        const ranges = one.ranges.map(([first, last]) => {
          const [low, high] = [first, last].map((end) => writeCharacter(end, "]\\-^[", draw));
          return first === last && draw(2) === 0 ? low : `${low}-${high}`;
        });
        return `[${one.isNegated ? "^" : ""}${ranges.join("")}]`;
      }
      case "any":
        return ".";
      case "reference":
        return nameOf(one.rule);
      case "group":
        return `(${space()}${writeOptions(one.options, true)}${space()})`;
      case "repeat":
        return `${writePart(one.of, isNested)}${space()}${writeBounds(one, draw)}`;
    }
  };
  return rules
    .map((list, rule) => `${nameOf(rule)}${space()}::=${space()}${writeOptions(list, false)}`)
    .join(["\n", "\r\n", "\n\n# between rules\n"][draw(3)] ?? "\n");
}

/**
 * Draws a text that a grammar allows.
 * @returns the beginning of one, where the way to the end is too long
 */
export function sampled(rules: GeneratedRules, draw: Draw): string {
  let expansions = 0;
  const sampleOptions = (list: readonly (readonly Part[])[]): string => {
    if (++expansions > MAX_EXPANSIONS) return "";
    return (list[draw(list.length)] ?? []).map(sample).join("");
  };
  const sample = (one: Part): string => {
    switch (one.kind) {
      case "literal":
        return one.characters.join("");
      case "class": {
        if (one.isNegated) return CHARACTERS.find((each) => !isIn(each, one.ranges)) ?? "z";
        const [first, last] = one.ranges[draw(one.ranges.length)] ?? ["a", "a"];
        return draw(2) === 0 ? first : last;
      }
      case "any":
        return CHARACTERS[draw(CHARACTERS.length)] ?? "a";
      case "reference":
        return sampleOptions(rules[one.rule] ?? []);
      case "group":
        return sampleOptions(one.options);
      case "repeat": {
        const count = one.min + draw((one.max ?? one.min + 2) - one.min + 1);
        return Array.from({ length: count }, () => sample(one.of)).join("");
      }
    }
  };
  return [...sampleOptions(rules[0] ?? [])].slice(0, MAX_CHARACTERS).join("");
}

/** Returns the text with one change. */
export function mutated(text: string, draw: Draw): string {
  const characters = [...text];
  const at = draw(characters.length + 1);
  const other = CHARACTERS[draw(CHARACTERS.length)] ?? "a";
  characters.splice(at, draw(2), ...(draw(3) === 0 ? [] : [other]));
  return characters.join("");
}

function nameOf(rule: number): string {
  return rule === 0 ? "root" : `rule-${rule}`;
}

function writeBounds({ min, max }: { readonly min: number; readonly max?: number }, draw: Draw) {
  if (min === 0 && max === undefined && draw(2) === 0) return "*";
  if (min === 1 && max === undefined && draw(2) === 0) return "+";
  if (min === 0 && max === 1 && draw(2) === 0) return "?";
  if (min === max && draw(2) === 0) return `{ ${min} }`;
  return `{${min}, ${max ?? ""}}`;
}

function writeCharacter(one: string, reserved: string, draw: Draw): string {
  const hexadecimal = code(one).toString(16);
  const long = `\\U${hexadecimal.padStart(8, "0")}`;
  const forms = [long];
  if (hexadecimal.length <= 4) forms.push(`\\u${hexadecimal.toUpperCase().padStart(4, "0")}`);
  if (hexadecimal.length <= 2) forms.push(`\\x${hexadecimal.padStart(2, "0")}`);
  if (one === "\n") forms.push("\\n");
  if ('"\\[]-'.includes(one)) forms.push(`\\${one}`);
  if (!reserved.includes(one)) forms.push(one, one, one, one);
  return forms[draw(forms.length)] ?? long;
}

function isIn(one: string, ranges: readonly Range[]): boolean {
  return ranges.some(([first, last]) => code(first) <= code(one) && code(one) <= code(last));
}

function code(one: string): number {
  return one.codePointAt(0) ?? 0;
}
