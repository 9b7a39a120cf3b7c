import { RegexError } from "../errors.js";
import {
  type CharacterEncoding,
  choice,
  complement,
  EMPTY,
  type GrammarNode,
  intersection,
  NOTHING,
  repeat,
  sequence,
} from "../grammar.js";
import { ALL_CODE_POINTS, type CodePointSet } from "../language/code-point-set.js";
import { type AnchoredTexts, anchoredLanguage, hasEnd, hasStart } from "./anchored-language.js";
import { contains, type RegexNode } from "./parse-regex.js";

/** Position of a match: the whole text, or anywhere in it, as for JSON Schema's `pattern`. */
export type MatchPlace = "whole-text" | "anywhere";

/**
 * Maximum number of nodes of an expanded grammar, in which the continuation after alternatives is
 * repeated for each of them.
 */
const MAX_NODES = 50_000;

/** Position at which a part of an expression begins. */
type Position = "start" | "later";

/** Maximum number of look-aheads. */
const MAX_LOOKAHEADS = 200;
/** Maximum number of copies of a repeated part with a look-ahead. */
const MAX_COPIES = 20;

/** Continuation of the text after a part of an expression. */
class Continuation {
  readonly dependsOnStart: boolean;
  readonly #build: (position: Position) => GrammarNode;
  readonly #built = new Map<Position, GrammarNode>();

  constructor(dependsOnStart: boolean, build: (position: Position) => GrammarNode) {
    this.dependsOnStart = dependsOnStart;
    this.#build = build;
  }

  buildFrom(position: Position): GrammarNode {
    const key = this.dependsOnStart ? position : "later";
    let node = this.#built.get(key);
    if (node === undefined) {
      node = this.#build(key);
      this.#built.set(key, node);
    }
    return node;
  }
}

/**
 * Builds the texts that a regular expression matches, as ECMA-262's `RegExp` does with the flag
 * `u`.
 * @throws {RegexError} an assertion is in an unsupported position
 */
export function regexGrammar(
  regex: RegexNode,
  place: MatchPlace,
  encoding: CharacterEncoding,
): GrammarNode {
  const grammar = translateRegex(regex, place, encoding);
  if (countNodes(grammar, new Map()) > MAX_NODES) {
    throw new RegexError(
      "expected fewer assertions, or fewer alternatives that contain assertions",
    );
  }
  return grammar;
}

function translateRegex(
  regex: RegexNode,
  place: MatchPlace,
  encoding: CharacterEncoding,
): GrammarNode {
  const translation = new Translation(encoding);
  if (place === "whole-text") {
    return translation.translate(regex, "start", new Continuation(false, () => EMPTY));
  }
  const { anyText } = translation;
  const continuation = new Continuation(false, () => anyText);
  const later = translation.translate(regex, "later", continuation);
  if (!contains(regex, "start")) return sequence(anyText, later);
  return choice(
    translation.translate(regex, "start", continuation),
    sequence(translation.someText, later),
  );
}

class Translation {
  readonly anyText: GrammarNode;
  readonly someText: GrammarNode;
  readonly #characters: (set: CodePointSet) => GrammarNode;
  #lookaheads = 0;

  constructor(encoding: CharacterEncoding) {
    this.#characters = (ranges) => ({ type: "character", ranges, encoding });
    this.anyText = repeat(this.#characters(ALL_CODE_POINTS), 0);
    this.someText = repeat(this.#characters(ALL_CODE_POINTS), 1);
  }

  /**
   * Builds the grammar of a part and of the text that follows it. Look-aheads in the part restrict
   * that text, so the continuation is a parameter.
   */
  translate(node: RegexNode, position: Position, continuation: Continuation): GrammarNode {
    if (!contains(node, "lookahead")) return this.#buildAnchored(node, position, continuation);
    switch (node.type) {
      case "lookahead": {
        if (++this.#lookaheads > MAX_LOOKAHEADS) {
          throw new RegexError(`expected at most ${MAX_LOOKAHEADS} look-aheads`);
        }
        const anything = new Continuation(false, () => this.anyText);
        const ahead = this.translate(node.of, position, anything);
        return intersection(
          continuation.buildFrom(position),
          node.polarity === "positive" ? ahead : complement(ahead),
        );
      }
      case "alternatives":
        return choice(
          ...node.options.map((option) => this.translate(option, position, continuation)),
        );
      case "sequence":
        return this.#buildParts(node.parts, position, continuation);
      case "repeat":
        return this.#buildParts(expandCopies(node), position, continuation);
      default:
        return NOTHING;
    }
  }

  #buildParts(
    parts: readonly RegexNode[],
    position: Position,
    continuation: Continuation,
  ): GrammarNode {
    const afterLast = parts.findLastIndex((part) => contains(part, "lookahead")) + 1;
    if (afterLast === 0)
      return this.#buildAnchored({ type: "sequence", parts }, position, continuation);
    const tail: RegexNode = { type: "sequence", parts: parts.slice(afterLast) };
    const continuationAfter = new Continuation(
      continuation.dependsOnStart || contains(tail, "start"),
      (from) => this.#buildAnchored(tail, from, continuation),
    );
    const last = parts[afterLast - 1];
    if (last === undefined) return continuationAfter.buildFrom(position);
    const before = parts.slice(0, afterLast - 1);
    const fromLast = new Continuation(
      continuationAfter.dependsOnStart || contains(last, "start"),
      (from) => this.translate(last, from, continuationAfter),
    );
    return this.#buildParts(before, position, fromLast);
  }

  /** Builds a part without look-aheads. */
  #buildAnchored(node: RegexNode, position: Position, continuation: Continuation): GrammarNode {
    const options: GrammarNode[] = [];
    for (const [anchors, texts] of anchoredLanguage(node, this.#characters)) {
      if (hasStart(anchors) && position !== "start") continue;
      const continuationAfter = hasEnd(anchors)
        ? new Continuation(continuation.dependsOnStart, (from) =>
            this.#emptyOf(continuation.buildFrom(from)),
          )
        : continuation;
      options.push(this.#appendContinuation(texts, position, continuationAfter));
    }
    return options.length === 0 ? NOTHING : choice(...options);
  }

  /**
   * Appends the continuation to a part: after the empty text, it begins at the same position,
   * otherwise at a later one.
   */
  #appendContinuation(
    { node, hasEmpty }: AnchoredTexts,
    position: Position,
    continuation: Continuation,
  ): GrammarNode {
    const later = continuation.buildFrom("later");
    if (position === "later" || !continuation.dependsOnStart) return concatenation(node, later);
    if (!hasEmpty) return concatenation(node, later);
    const longer = node === EMPTY ? NOTHING : intersection(node, this.someText);
    return choice(concatenation(longer, later), continuation.buildFrom("start"));
  }

  #emptyOf(continuation: GrammarNode): GrammarNode {
    return continuation === EMPTY || continuation === this.anyText
      ? EMPTY
      : intersection(EMPTY, continuation);
  }
}

function concatenation(first: GrammarNode, second: GrammarNode): GrammarNode {
  if (first === EMPTY) return second;
  return second === EMPTY ? first : sequence(first, second);
}

function expandCopies({
  of,
  min,
  max,
}: Extract<RegexNode, { type: "repeat" }>): readonly RegexNode[] {
  if (max > MAX_COPIES) {
    throw new RegexError(`expected at most ${MAX_COPIES} repetitions of a part with a look-ahead`);
  }
  const optionalPart: RegexNode = {
    type: "alternatives",
    options: [{ type: "sequence", parts: [] }, of],
  };
  return Array.from({ length: max }, (_, index) => (index < min ? of : optionalPart));
}

/** Counts the nodes of a grammar, with shared nodes counted once per occurrence. */
function countNodes(node: GrammarNode, known: Map<GrammarNode, number>): number {
  const size = known.get(node);
  if (size !== undefined) return size;
  const sum = partsOf(node).reduce((total, part) => total + countNodes(part, known), 1);
  known.set(node, sum);
  return sum;
}

function partsOf(node: GrammarNode): readonly GrammarNode[] {
  switch (node.type) {
    case "sequence":
    case "intersection":
      return node.parts;
    case "choice":
      return node.options;
    case "repeat":
    case "complement":
      return [node.of];
    default:
      return [];
  }
}
