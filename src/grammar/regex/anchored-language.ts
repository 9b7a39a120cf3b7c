import { RegexError } from "../errors.js";
import { EMPTY, type GrammarNode, repeat, sequence } from "../grammar.js";
import type { CodePointSet } from "../language/code-point-set.js";
import type { RegexNode } from "./parse-regex.js";

/** Condition on the position of a part: none, or at the start or end of the whole text. */
export type Anchors = "none" | "start" | "end" | "both";

/** Texts that match under one condition. */
export interface AnchoredTexts {
  readonly node: GrammarNode;
  /** Whether the empty text is among them. */
  readonly hasEmpty: boolean;
}

/** Texts that a part without look-aheads matches, by their condition; absent: none. */
export type AnchoredLanguage = ReadonlyMap<Anchors, AnchoredTexts>;

/** Maximum number of consecutive parts with an anchor, including copies made by a count. */
const MAX_COPIES = 50;

const NO_TEXTS: AnchoredLanguage = new Map();
const NO_CHARACTERS: AnchoredTexts = { node: EMPTY, hasEmpty: true };
const EMPTY_TEXT: AnchoredLanguage = new Map([["none", NO_CHARACTERS]]);

/**
 * Computes the language of a part without look-aheads. A text with `^` must be at the start of the
 * whole text, so no text may precede it, and likewise for `$`. In repetitions, only the first text
 * can be at the start, and only the last one at the end.
 * @param characters builds the grammar of one character
 * @throws {RegexError} an anchor is in a repetition with a too large count
 */
export function anchoredLanguage(
  node: RegexNode,
  characters: (set: CodePointSet) => GrammarNode,
): AnchoredLanguage {
  const toLanguage = (part: RegexNode) => anchoredLanguage(part, characters);
  switch (node.type) {
    case "characters":
      return new Map([["none", { node: characters(node.set), hasEmpty: false }]]);
    case "start":
    case "end":
      return new Map([[node.type, NO_CHARACTERS]]);
    case "sequence":
      return concatenateAll(node.parts.map(toLanguage));
    case "alternatives":
      return union(node.options.map(toLanguage));
    case "repeat":
      return repetition(toLanguage(node.of), node.min, node.max);
    case "lookahead":
      return NO_TEXTS;
  }
}

function concatenateAll(parts: readonly AnchoredLanguage[]): AnchoredLanguage {
  const anchored = parts.filter((part) => part.size !== 1 || !part.has("none"));
  if (anchored.length > MAX_COPIES) throw createCountError("consecutive parts with an assertion");
  return parts.reduceRight((after, part) => concatenation(part, after), EMPTY_TEXT);
}

function concatenation(before: AnchoredLanguage, after: AnchoredLanguage): AnchoredLanguage {
  const languages: AnchoredLanguage[] = [];
  for (const [anchorsBefore, first] of before) {
    for (const [anchorsAfter, second] of after) {
      const head = hasStart(anchorsAfter) ? emptyOf(first) : first;
      const tail = hasEnd(anchorsBefore) ? emptyOf(second) : second;
      if (head === undefined || tail === undefined) continue;
      const anchors = anchorsOf(
        hasStart(anchorsBefore) || hasStart(anchorsAfter),
        hasEnd(anchorsBefore) || hasEnd(anchorsAfter),
      );
      languages.push(new Map([[anchors, joined(head, tail)]]));
    }
  }
  return union(languages);
}

function repetition(of: AnchoredLanguage, min: number, max: number): AnchoredLanguage {
  const unanchoredTexts = of.get("none");
  if (unanchoredTexts !== undefined && of.size === 1) {
    const node = repeat(unanchoredTexts.node, min, Number.isFinite(max) ? max : undefined);
    return new Map([["none", { node, hasEmpty: min === 0 || unanchoredTexts.hasEmpty }]]);
  }
  if (of.size === 0) return min === 0 ? EMPTY_TEXT : NO_TEXTS;
  const copies = Number.isFinite(max) ? max : min;
  if (copies > MAX_COPIES) throw createCountError("repetitions of a part with an assertion");
  const optionalPart = union([EMPTY_TEXT, of]);
  let language = Number.isFinite(max) ? EMPTY_TEXT : anyNumber(of);
  for (let count = copies; count > 0; count--) {
    language = concatenation(count > min ? optionalPart : of, language);
  }
  return language;
}

function anyNumber(of: AnchoredLanguage): AnchoredLanguage {
  const unanchoredTexts = of.get("none");
  const middle: AnchoredTexts =
    unanchoredTexts === undefined
      ? NO_CHARACTERS
      : { node: repeat(unanchoredTexts.node, 0), hasEmpty: true };
  const [first, last, only] = [of.get("start"), of.get("end"), of.get("both")];
  const fromStart = first && joined(first, middle);
  return union([
    new Map([["none", middle]]),
    ...(fromStart ? [new Map([["start" as const, fromStart]])] : []),
    ...(last ? [new Map([["end" as const, joined(middle, last)]])] : []),
    ...(only ? [new Map([["both" as const, only]])] : []),
    ...(fromStart && last ? [new Map([["both" as const, joined(fromStart, last)]])] : []),
  ]);
}

function union(languages: readonly AnchoredLanguage[]): AnchoredLanguage {
  const texts = new Map<Anchors, AnchoredTexts[]>();
  for (const language of languages) {
    for (const [anchors, some] of language) {
      const others = texts.get(anchors);
      if (others === undefined) texts.set(anchors, [some]);
      else others.push(some);
    }
  }
  return new Map(
    [...texts].map(([anchors, [first = NO_CHARACTERS, ...others]]): [Anchors, AnchoredTexts] => {
      if (others.length === 0) return [anchors, first];
      const options = [first, ...others];
      const node: GrammarNode = { type: "choice", options: options.map((one) => one.node) };
      return [anchors, { node, hasEmpty: options.some(({ hasEmpty }) => hasEmpty) }];
    }),
  );
}

function joined(head: AnchoredTexts, tail: AnchoredTexts): AnchoredTexts {
  if (head.node === EMPTY) return tail;
  if (tail.node === EMPTY) return head;
  return { node: sequence(head.node, tail.node), hasEmpty: head.hasEmpty && tail.hasEmpty };
}

function emptyOf({ hasEmpty }: AnchoredTexts): AnchoredTexts | undefined {
  return hasEmpty ? NO_CHARACTERS : undefined;
}

function createCountError(what: string): RegexError {
  return new RegexError(`expected at most ${MAX_COPIES} ${what}`);
}

export function hasStart(anchors: Anchors): boolean {
  return anchors === "start" || anchors === "both";
}

export function hasEnd(anchors: Anchors): boolean {
  return anchors === "end" || anchors === "both";
}

function anchorsOf(isAtStart: boolean, isAtEnd: boolean): Anchors {
  if (isAtStart) return isAtEnd ? "both" : "start";
  return isAtEnd ? "end" : "none";
}
