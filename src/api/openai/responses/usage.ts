import type { TokenUsage } from "../../../core/generation-event.js";
import type { ResponseUsage } from "./response-schema.js";

/** Maps token counts to the `usage` of a response. */
export function toResponseUsage({
  promptTokens,
  cachedTokens,
  completionTokens,
  reasoningTokens,
}: TokenUsage): ResponseUsage {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
}
