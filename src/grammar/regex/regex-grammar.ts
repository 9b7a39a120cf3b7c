import { RegexError } from "../errors.js";
import {
  type CharacterWriting,
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
import { type AnchoredTexts, anchoredLanguage, atEnd, atStart } from "./anchored-language.js";
import { contains, type RegexNode } from "./parse-regex.js";

/** Where a match may be: the whole text, or anywhere in it, as JSON Schema's `pattern` has it. */
export type MatchPlace = "whole-text" | "anywhere";

/** Nodes of a grammar that is written out: what follows alternatives is repeated after each of them. */
const MAX_NODES = 50_000;

/** Where a part of an expression begins. */
type Position = "start" | "later";

/** Look-aheads that are translated at most. */
const MAX_LOOKAHEADS = 200;
/** Copies that are made at most of a part with a look-ahead that is repeated. */
const MAX_COPIES = 20;

/** The rest of the text after a part of an expression. */
class Rest {
  readonly dependsOnStart: boolean;
  readonly #build: (position: Position) => GrammarNode;
  readonly #built = new Map<Position, GrammarNode>();

  constructor(dependsOnStart: boolean, build: (position: Position) => GrammarNode) {
    this.dependsOnStart = dependsOnStart;
    this.#build = build;
  }

  from(position: Position): GrammarNode {
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
 * The texts that a regular expression matches, as `RegExp` of ECMA-262 with the flag `u`.
 * @throws {RegexError} for assertions in places where they cannot be honoured
 */
export function regexGrammar(
  regex: RegexNode,
  place: MatchPlace,
  writing: CharacterWriting,
): GrammarNode {
  const grammar = translated(regex, place, writing);
  if (writtenSize(grammar, new Map()) > MAX_NODES) {
    throw new RegexError("expected fewer assertions, or fewer alternatives with some");
  }
  return grammar;
}

function translated(regex: RegexNode, place: MatchPlace, writing: CharacterWriting): GrammarNode {
  const translation = new Translation(writing);
  if (place === "whole-text") {
    return translation.translate(regex, "start", new Rest(false, () => EMPTY));
  }
  const { anyText } = translation;
  const rest = new Rest(false, () => anyText);
  const later = translation.translate(regex, "later", rest);
  if (!contains(regex, "start")) return sequence(anyText, later);
  return choice(translation.translate(regex, "start", rest), sequence(translation.someText, later));
}

class Translation {
  readonly anyText: GrammarNode;
  readonly someText: GrammarNode;
  readonly #characters: (set: CodePointSet) => GrammarNode;
  #lookaheads = 0;

  constructor(writing: CharacterWriting) {
    this.#characters = (ranges) => ({ type: "character", ranges, writing });
    this.anyText = repeat(this.#characters(ALL_CODE_POINTS), 0);
    this.someText = repeat(this.#characters(ALL_CODE_POINTS), 1);
  }

  /**
   * The texts of a part followed by the rest. What follows a look-ahead decides about it, so the
   * rest is passed along.
   */
  translate(node: RegexNode, position: Position, rest: Rest): GrammarNode {
    if (!contains(node, "lookahead")) return this.#anchored(node, position, rest);
    switch (node.type) {
      case "lookahead": {
        if (++this.#lookaheads > MAX_LOOKAHEADS) {
          throw new RegexError(`expected at most ${MAX_LOOKAHEADS} look-aheads`);
        }
        const anything = new Rest(false, () => this.anyText);
        const ahead = this.translate(node.of, position, anything);
        return intersection(
          rest.from(position),
          node.polarity === "positive" ? ahead : complement(ahead),
        );
      }
      case "alternatives":
        return choice(...node.options.map((option) => this.translate(option, position, rest)));
      case "sequence":
        return this.#sequence(node.parts, position, rest);
      case "repeat":
        return this.#sequence(copiesOf(node), position, rest);
      default:
        return NOTHING;
    }
  }

  #sequence(parts: readonly RegexNode[], position: Position, rest: Rest): GrammarNode {
    const afterLast = parts.findLastIndex((part) => contains(part, "lookahead")) + 1;
    if (afterLast === 0) return this.#anchored({ type: "sequence", parts }, position, rest);
    const tail: RegexNode = { type: "sequence", parts: parts.slice(afterLast) };
    const restAfter = new Rest(rest.dependsOnStart || contains(tail, "start"), (from) =>
      this.#anchored(tail, from, rest),
    );
    const last = parts[afterLast - 1];
    if (last === undefined) return restAfter.from(position);
    const before = parts.slice(0, afterLast - 1);
    const fromLast = new Rest(restAfter.dependsOnStart || contains(last, "start"), (from) =>
      this.translate(last, from, restAfter),
    );
    return this.#sequence(before, position, fromLast);
  }

  /** A part without look-aheads. */
  #anchored(node: RegexNode, position: Position, rest: Rest): GrammarNode {
    const options: GrammarNode[] = [];
    for (const [anchors, texts] of anchoredLanguage(node, this.#characters)) {
      if (atStart(anchors) && position !== "start") continue;
      const restAfter = atEnd(anchors)
        ? new Rest(rest.dependsOnStart, (from) => this.#emptyOf(rest.from(from)))
        : rest;
      options.push(this.#followed(texts, position, restAfter));
    }
    return options.length === 0 ? NOTHING : choice(...options);
  }

  /** What is empty leaves the rest where it was; everything else leaves it later. */
  #followed({ node, hasEmpty }: AnchoredTexts, position: Position, rest: Rest): GrammarNode {
    const later = rest.from("later");
    if (position === "later" || !rest.dependsOnStart) return concatenation(node, later);
    if (!hasEmpty) return concatenation(node, later);
    const longer = node === EMPTY ? NOTHING : intersection(node, this.someText);
    return choice(concatenation(longer, later), rest.from("start"));
  }

  #emptyOf(rest: GrammarNode): GrammarNode {
    return rest === EMPTY || rest === this.anyText ? EMPTY : intersection(EMPTY, rest);
  }
}

function concatenation(first: GrammarNode, second: GrammarNode): GrammarNode {
  if (first === EMPTY) return second;
  return second === EMPTY ? first : sequence(first, second);
}

function copiesOf({ of, min, max }: Extract<RegexNode, { type: "repeat" }>): readonly RegexNode[] {
  if (max > MAX_COPIES) {
    throw new RegexError(`expected at most ${MAX_COPIES} repetitions of a part with a look-ahead`);
  }
  const maybe: RegexNode = { type: "alternatives", options: [{ type: "sequence", parts: [] }, of] };
  return Array.from({ length: max }, (_, index) => (index < min ? of : maybe));
}

/** Nodes of a grammar, counting those that it shares for each place. */
function writtenSize(node: GrammarNode, known: Map<GrammarNode, number>): number {
  const size = known.get(node);
  if (size !== undefined) return size;
  const sum = partsOf(node).reduce((total, part) => total + writtenSize(part, known), 1);
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
