import type { GenerationTimings, TokenUsage } from "../../core/generation-event.js";
import type { Timings, Usage } from "./response-schema.js";

/** Maps token counts to OpenAI's `usage`. */
export function toUsage(usage: TokenUsage): Usage {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

/** Maps prefill and decode timings to llama-server's `timings`. */
export function toTimings(usage: TokenUsage, timings: GenerationTimings): Timings {
  const { prefillMs, decodeMs, draftTokens, acceptedDraftTokens } = timings;
  const evaluatedTokens = usage.promptTokens - usage.cachedTokens;
  return {
    cache_n: usage.cachedTokens,
    prompt_n: evaluatedTokens,
    prompt_ms: prefillMs,
    predicted_n: usage.completionTokens,
    predicted_ms: decodeMs,
    prompt_per_second: perSecond(evaluatedTokens, prefillMs),
    // The first token is sampled at the end of prefill.
    predicted_per_second: perSecond(usage.completionTokens - 1, decodeMs),
    ...(draftTokens === 0 ? {} : { draft_n: draftTokens, draft_n_accepted: acceptedDraftTokens }),
  };
}

function perSecond(tokens: number, milliseconds: number): number {
  return milliseconds > 0 ? (tokens / milliseconds) * 1000 : 0;
}
