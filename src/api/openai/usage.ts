import type { GenerationTimings, TokenUsage } from "../../core/generation-event.js";
import type { Timings, Usage } from "./response-schema.js";

/** Token counts in OpenAI's words. */
export function toUsage(usage: TokenUsage): Usage {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

/** Where the time went, in the words of llama-server. */
export function toTimings(usage: TokenUsage, timings: GenerationTimings): Timings {
  const { prefillMs, decodeMs, draftTokens, acceptedDraftTokens } = timings;
  const evaluated = usage.promptTokens - usage.cachedTokens;
  return {
    cache_n: usage.cachedTokens,
    prompt_n: evaluated,
    prompt_ms: prefillMs,
    predicted_n: usage.completionTokens,
    predicted_ms: decodeMs,
    prompt_per_second: perSecond(evaluated, prefillMs),
    // The first token came with the prompt.
    predicted_per_second: perSecond(usage.completionTokens - 1, decodeMs),
    ...(draftTokens === 0 ? {} : { draft_n: draftTokens, draft_n_accepted: acceptedDraftTokens }),
  };
}

function perSecond(tokens: number, milliseconds: number): number {
  return milliseconds > 0 ? (tokens / milliseconds) * 1000 : 0;
}
