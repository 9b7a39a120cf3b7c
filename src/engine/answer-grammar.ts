import { createHash } from "node:crypto";
import type {
  GenerationRequest,
  OutputReading,
  PreparedGrammar,
} from "../core/generation-request.js";
import type { Grammar, GrammarNode } from "../core/grammar.js";
import { constraintGrammar } from "./grammar/constraint-grammar.js";
import { REASONING_MARKS } from "./output/conventions/reasoning.js";
import { type IsControlToken, literal, triggerOf } from "./output/frames/nodes.js";

/**
 * What a request lets the model write: reasoning as the prompt has opened it, then a text of its
 * constraint.
 * @returns `undefined`: anything
 * @throws {GgufdError} `invalid_request` for a constraint that cannot be honoured
 */
export function answerGrammar(
  { constraint }: Pick<GenerationRequest, "constraint">,
  reading: OutputReading,
  isControlToken: IsControlToken,
): PreparedGrammar | undefined {
  if (constraint === undefined) return undefined;
  const { root, rules } = constraintGrammar(constraint);
  const grammar: Grammar = { root: behindReasoning(root, reading, isControlToken), rules };
  return { key: createHash("sha256").update(JSON.stringify(grammar)).digest("base64"), grammar };
}

/** Line breaks that models write behind their reasoning. */
const MAX_LINE_BREAKS = 2;

function behindReasoning(
  root: GrammarNode,
  { beginsWith, reasoning }: OutputReading,
  isControlToken: IsControlToken,
): GrammarNode {
  if (beginsWith !== "reasoning") return root;
  const { close } = REASONING_MARKS[reasoning];
  const end = triggerOf(close, isControlToken);
  const rest = close.slice(close.indexOf(end.text) + end.text.length);
  return {
    type: "sequence",
    parts: [
      { type: "until", ends: [end] },
      literal(rest, isControlToken),
      {
        type: "repeat",
        of: { type: "words", words: ["\n"] },
        min: 0,
        max: MAX_LINE_BREAKS,
      },
      root,
    ],
  };
}
