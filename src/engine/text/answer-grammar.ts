import { createHash } from "node:crypto";
import type { GenerationRequest } from "../../core/generation-request.js";
import type { Grammar, GrammarNode } from "../../grammar/grammar.js";
import type { PreparedGrammar } from "../../grammar/grammar-library.js";
import { choice, sequence } from "../../grammar/grammar-nodes.js";
import { GrammarRules } from "../../grammar/grammar-rules.js";
import {
  type CallContext,
  type CallDemands,
  requiredCalls,
  restrictedCalls,
} from "./call-demands.js";
import { CONVENTIONS } from "./output/conventions/conventions.js";
import type { IsControlToken } from "./output/frames/control-marks.js";
import { harmonyFinal } from "./output/frames/harmony-grammar.js";
import { afterReasoning, contentHeader } from "./output/frames/reasoning-grammar.js";
import type { OutputReading } from "./output/output-reading.js";

/** The parts of a request that say what its answer may be. */
export type AnswerDemands = CallDemands & Pick<GenerationRequest, "constraint" | "reasoningBudget">;

/**
 * What a request without messages lets the model write: a text of its constraint.
 * @returns `undefined`: anything
 * @throws {GgufdError} `invalid_request` for a constraint that cannot be honoured
 */
export function textGrammar(
  constraint: GenerationRequest["constraint"],
): PreparedGrammar | undefined {
  if (constraint === undefined) return undefined;
  const rules = new GrammarRules();
  const root = rules.add(constraint);
  return toPrepared({ root, rules: rules.all });
}

/**
 * What a request lets the model write: reasoning that the prompt has opened or that the model may open,
 * then calls, a text of its constraint, or either.
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
  const grammar: Grammar = {
    root: afterReasoning(root, reading, {
      opening: demands.reasoningBudget?.maxTokens === 0 ? "refused" : "allowed",
      isControlToken,
    }),
    rules: rules.all,
  };
  return toPrepared(grammar);
}

function toPrepared(grammar: Grammar): PreparedGrammar {
  const json = JSON.stringify(grammar);
  return { key: createHash("sha256").update(json).digest("base64"), json };
}

function rootOf(demands: AnswerDemands, context: CallContext): GrammarNode | undefined {
  const { constraint, prompt, toolUse } = demands;
  const { reading, rules } = context;
  if (toolUse?.demand === "required") return requiredCalls(demands, context);
  if (constraint === undefined) return restrictedCalls(demands, context);
  const held = rules.add(constraint);
  const content = reading.beginsWith === "text" ? held : withHeader(held, context);
  if (prompt.tools.length === 0) return content;
  return choice(requiredCalls(demands, context), content);
}

function withHeader(content: GrammarNode, { reading, isControlToken }: CallContext): GrammarNode {
  const { convention } = reading;
  if (CONVENTIONS[convention].calls === "harmony") return harmonyFinal(content, isControlToken);
  return sequence(contentHeader(convention, isControlToken), content);
}
