import type { TokenUsage } from "../../../core/generation-event.js";
import type { Usage } from "../response-schema.js";
import { toUsage } from "../usage.js";

/**
 * The usage of several prompts: each counts once, as its first completion found it.
 * @param completions in their order, those of the first prompt first; a hole for one that has not begun
 * @param perPrompt completions of each prompt
 */
export function usageOfPrompts(completions: readonly TokenUsage[], perPrompt: number): Usage {
  const prompts = Math.ceil(completions.length / perPrompt);
  const usages = Array.from({ length: prompts }, (_, prompt) =>
    toUsage(Object.values(completions.slice(prompt * perPrompt, (prompt + 1) * perPrompt))),
  );
  return usages.reduce(added, toUsage([]));
}

function added(a: Usage, b: Usage): Usage {
  const [details, others] = [a.completion_tokens_details, b.completion_tokens_details];
  return {
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
    prompt_tokens_details: {
      cached_tokens: a.prompt_tokens_details.cached_tokens + b.prompt_tokens_details.cached_tokens,
    },
    completion_tokens_details: {
      reasoning_tokens: details.reasoning_tokens + others.reasoning_tokens,
      accepted_prediction_tokens:
        details.accepted_prediction_tokens + others.accepted_prediction_tokens,
      rejected_prediction_tokens:
        details.rejected_prediction_tokens + others.rejected_prediction_tokens,
    },
  };
}
