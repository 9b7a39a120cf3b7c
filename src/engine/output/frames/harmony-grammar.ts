import type { GrammarNode } from "../../../core/grammar.js";
import type { CallGrammarOptions } from "./call-grammar-options.js";
import { choice, literal, repeat, sequence, triggerOf } from "./nodes.js";

/**
 * Messages of OpenAI's harmony format: analysis and preambles, then a call or the final answer. What
 * ends a call ends the generation, so that there is one at most.
 */
export function harmonyGrammar({
  tools,
  argumentsOf,
  begins,
  isControlToken,
}: CallGrammarOptions): GrammarNode {
  const text = (value: string) => literal(value, isControlToken);
  const body: GrammarNode = {
    type: "without",
    ends: ["<|end|>", "<|start|>", "<|channel|>", "<|message|>"].map((mark) =>
      triggerOf(mark, isControlToken),
    ),
  };
  const message = (channel: string) =>
    sequence(text(`<|channel|>${channel}<|message|>`), body, text("<|end|><|start|>assistant"));
  const call = choice(
    tools.map((tool) =>
      sequence(
        text(`<|channel|>commentary to=functions.${tool.name} <|constrain|>json<|message|>`),
        argumentsOf(tool),
      ),
    ),
  );
  if (begins === "at-once") return sequence(repeat(message("analysis"), 0), call);
  const final = sequence(text("<|channel|>final<|message|>"), body);
  const before = choice([message("analysis"), message("commentary")]);
  return sequence(repeat(before, 0), choice([call, final]));
}
