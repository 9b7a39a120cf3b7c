import { createHash } from "node:crypto";
import type {
  GenerationRequest,
  OutputReading,
  PreparedGrammar,
} from "../core/generation-request.js";
import type { GrammarNode } from "../core/grammar.js";
import { choice, repeat, sequence, text } from "../core/grammar-nodes.js";
import {
  type CallContext,
  type CallDemands,
  requiredCalls,
  restrictedCalls,
} from "./call-demands.js";
import { GrammarRules } from "./grammar/grammar-rules.js";
import { REASONING_MARKS } from "./output/conventions/reasoning.js";
import { type IsControlToken, literal, triggerOf } from "./output/frames/control-marks.js";
import { harmonyFinal } from "./output/frames/harmony-grammar.js";

/** The parts of a request that say what its answer may be. */
export type AnswerDemands = CallDemands & Pick<GenerationRequest, "constraint">;

/**
 * What a request lets the model write: reasoning as the prompt has opened it, then calls, a text of its
 * constraint, or either.
 * @returns `undefined`: anything
 * @throws {GgufdError} `invalid_request` for a constraint or a tool's schema that cannot be honoured
 */
export function answerGrammar(
  demands: AnswerDemands,
  reading: OutputReading,
  isControlToken: IsControlToken,
): PreparedGrammar | undefined {
  const rules = new GrammarRules();
  const root = rootOf(demands, { reading, rules, isControlToken });
  if (root === undefined) return undefined;
  const grammar = {
    root: behindReasoning(root, reading, isControlToken),
    rules: rules.all,
  };
  return { key: createHash("sha256").update(JSON.stringify(grammar)).digest("base64"), grammar };
}

function rootOf(demands: AnswerDemands, context: CallContext): GrammarNode | undefined {
  const { constraint, prompt, toolUse } = demands;
  const { reading, rules, isControlToken } = context;
  if (toolUse?.demand === "required") return requiredCalls(demands, context);
  if (constraint === undefined) return restrictedCalls(demands, context);
  const held = rules.add(constraint);
  const content = reading.convention === "gpt-oss" ? harmonyFinal(held, isControlToken) : held;
  if (prompt.tools.length === 0) return content;
  return choice(requiredCalls(demands, context), content);
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
  return sequence(
    { type: "until", ends: [end] },
    literal(rest, isControlToken),
    repeat(text("\n"), 0, MAX_LINE_BREAKS),
    root,
  );
}
