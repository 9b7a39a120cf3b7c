import type { TokenUsage } from "../../core/generation-event.js";
import type { MessageDeltaUsage, MessageUsage } from "./response-schema.js";

/**
 * The tokens of a message so far. What the prefix cache holds is not counted as input; nothing is
 * charged for keeping it.
 */
export function toDeltaUsage(usage: TokenUsage): MessageDeltaUsage {
  return {
    input_tokens: usage.promptTokens - usage.cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cachedTokens,
    output_tokens: usage.completionTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
    server_tool_use: null,
  };
}

export function toUsage(usage: TokenUsage): MessageUsage {
  return {
    ...toDeltaUsage(usage),
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    inference_geo: null,
    service_tier: "standard",
    speed: null,
  };
}
