import type { OutputPiece } from "../../src/engine/text/output/output-piece.js";
import type { GrammarNode, MembersNode, Trigger } from "../../src/grammar/grammar.js";
import { ExpressionBuilder } from "../../src/grammar/language/build-expression.js";
import { derivative } from "../../src/grammar/language/derivative.js";
import { ExpressionStore } from "../../src/grammar/language/expression-store.js";
import { isNullable } from "../../src/grammar/language/first-symbols.js";

/** Draws a whole number from 0 to below a limit. */
export type Draw = (below: number) => number;

/** The choice of the first option, and of as little as possible. */
export const least: Draw = () => 0;

const FREE_TEXT = ["", "a", "<", " \n", "[TOOL", '"x" {', "</", "é", "call"];
const MAX_REPETITIONS = 3;

/**
 * Draws an output that a grammar allows.
 * @param tempting texts that free text holds where it may
 */
export function sampleGrammar(
  node: GrammarNode,
  draw: Draw,
  tempting: readonly string[] = [],
): OutputPiece[] {
  switch (node.type) {
    case "words": {
      const word = node.words[draw(node.words.length)];
      if (word === undefined) throw new Error("the grammar allows nothing here");
      return [{ type: "text", text: word }];
    }
    case "character": {
      const [first, last] = node.ranges[draw(node.ranges.length)] ?? [0x20, 0x20];
      const codePoint = first + draw(Math.min(last, 0x7e) - first + 1);
      return [{ type: "text", text: String.fromCodePoint(codePoint) }];
    }
    case "control-token":
      return [{ type: "control-token", text: node.text }];
    case "sequence":
      return node.parts.flatMap((part) => sampleGrammar(part, draw, tempting));
    case "choice": {
      const option = node.options[draw(node.options.length)];
      return option === undefined ? [] : sampleGrammar(option, draw, tempting);
    }
    case "repeat": {
      const more = Math.min((node.max ?? Number.POSITIVE_INFINITY) - node.min, MAX_REPETITIONS);
      const length = node.min + draw(more + 1);
      return Array.from({ length }, () => sampleGrammar(node.of, draw, tempting)).flat();
    }
    case "without":
      return sampleText(node.ends, draw, tempting);
    case "intersection": {
      const [first, ...others] = node.parts;
      const pieces = first === undefined ? [] : sampleGrammar(first, draw, tempting);
      const text = pieces.map((piece) => piece.text).join("");
      return others.every((part) => matches(part, text)) ? pieces : [{ type: "text", text: "a" }];
    }
    case "lexeme":
      return sampleGrammar(node.of, draw, tempting);
    case "members":
      return sampleMembers(node, draw, tempting);
    default:
      throw new Error(`no sample of ${node.type}`);
  }
}

/** Whether a text is in a regular language without control tokens. */
function matches(language: GrammarNode, text: string): boolean {
  const store = new ExpressionStore();
  const none = { root: language, rules: {} };
  let state = new ExpressionBuilder(store, none, () => undefined).buildRoot();
  for (const byte of Buffer.from(text)) state = derivative(store, state, byte);
  return isNullable(state);
}

function sampleText(
  ends: readonly Trigger[],
  draw: Draw,
  tempting: readonly string[],
): OutputPiece[] {
  const texts = [...FREE_TEXT, ...tempting];
  const text = Array.from({ length: draw(4) }, () => texts[draw(texts.length)] ?? "").join("");
  return ends.some((end) => end.type === "text" && text.includes(end.text))
    ? []
    : [{ type: "text", text }];
}

function sampleMembers(
  { named, separator }: MembersNode,
  draw: Draw,
  tempting: readonly string[],
): OutputPiece[] {
  const chosen = named.filter(({ presence }) => presence === "required" || draw(2) === 1);
  return chosen.flatMap(({ text }, index) => [
    ...(index > 0 ? sampleGrammar(separator, draw, tempting) : []),
    ...sampleGrammar(text, draw, tempting),
  ]);
}
