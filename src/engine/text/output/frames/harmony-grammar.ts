import type { GrammarNode } from "../../../../grammar/grammar.js";
import { choice, repeat, sequence } from "../../../../grammar/grammar-nodes.js";
import type { CallGrammarOptions } from "./call-grammar-options.js";
import { endsAt, type IsControlToken, literal } from "./control-marks.js";

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
  const call = choice(
    ...tools.map((tool) =>
      sequence(
        text(`<|channel|>commentary to=functions.${tool.name} <|constrain|>json<|message|>`),
        argumentsOf(tool),
      ),
    ),
  );
  if (begins === "at-once") return sequence(repeat(message("analysis", isControlToken), 0), call);
  const final = sequence(text("<|channel|>final<|message|>"), bodyOf(isControlToken));
  const before = choice(
    ...["analysis", "commentary"].map((channel) => message(channel, isControlToken)),
  );
  return sequence(repeat(before, 0), choice(call, final));
}

/** Analysis, then a final message with a text of its own. */
export function harmonyFinal(content: GrammarNode, isControlToken: IsControlToken): GrammarNode {
  const text = (value: string) => literal(value, isControlToken);
  return sequence(
    repeat(message("analysis", isControlToken), 0),
    text("<|channel|>final<|message|>"),
    content,
  );
}

/** A whole message, and the beginning of the next one. */
function message(channel: string, isControlToken: IsControlToken): GrammarNode {
  return sequence(
    literal(`<|channel|>${channel}<|message|>`, isControlToken),
    restOfHarmonyMessage(isControlToken),
  );
}

/** What is left of a message, and the beginning of the next one. */
export function restOfHarmonyMessage(isControlToken: IsControlToken): GrammarNode {
  return sequence(bodyOf(isControlToken), literal("<|end|><|start|>assistant", isControlToken));
}

function bodyOf(isControlToken: IsControlToken): GrammarNode {
  return {
    type: "without",
    ends: ["<|end|>", "<|start|>", "<|channel|>", "<|message|>"].flatMap((mark) =>
      endsAt(mark, isControlToken),
    ),
  };
}
