/**
 * Names of OpenTelemetry's semantic conventions for generative AI, of September 2026, where they are in development:
 * https://github.com/open-telemetry/semantic-conventions-genai. The package of stable conventions does not
 * have them, and removes its copies.
 */
export const genAi = {
  operationName: "gen_ai.operation.name",
  providerName: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  choiceCount: "gen_ai.request.choice.count",
  finishReasons: "gen_ai.response.finish_reasons",
  /** In seconds. */
  timeToFirstChunk: "gen_ai.response.time_to_first_chunk",
  inputTokens: "gen_ai.usage.input_tokens",
  cachedInputTokens: "gen_ai.usage.cache_read.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  reasoningOutputTokens: "gen_ai.usage.reasoning.output_tokens",
} as const;

/** Names of our own, where the conventions have none. */
export const ggufd = {
  requestId: "ggufd.request.id",
  keyName: "ggufd.api_key.name",
  delivery: "ggufd.delivery",
  choice: "ggufd.choice",
} as const;
