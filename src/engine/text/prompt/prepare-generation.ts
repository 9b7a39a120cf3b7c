import { GgufdError } from "../../../core/errors.js";
import type { GenerationRequest } from "../../../core/generation-request.js";
import type { OutputReading } from "../output/output-reading.js";
import { contextLengthExceeded } from "./context-length.js";
import { rejectUnknownTokens } from "./known-tokens.js";
import type { PreparedGeneration } from "./prepared-generation.js";

/** A tokenised prompt, and how its answer is parsed. */
export interface EncodedPrompt {
  readonly tokens: readonly number[];
  readonly reading: OutputReading;
}

/** The limits of a model that a request must satisfy. */
export interface GenerationLimits {
  /** What one request may hold, in tokens: prompt and completion together. */
  readonly contextSize: number;
  readonly vocabularySize: number;
}

/**
 * Checks a tokenised request against the model's limits. A completion limit beyond the context is
 * clamped; a prompt that leaves no room for a single token is rejected.
 * @throws {GgufdError} `context_length_exceeded`, `invalid_request`
 */
export function prepareGeneration(
  request: GenerationRequest,
  { tokens: promptTokens, reading }: EncodedPrompt,
  { contextSize, vocabularySize }: GenerationLimits,
): PreparedGeneration {
  const { id, sampling, stopping, topLogProbabilities, logProbabilities } = request;
  const { scoredTokens, evaluation, progress, slot } = request;
  const field = request.prompt.type === "chat" ? "messages" : (request.prompt.field ?? "prompt");
  if (promptTokens.length === 0) {
    const what =
      field === "messages"
        ? "The messages render to"
        : `${field}: expected at least one token, got`;
    throw new GgufdError("invalid_request", `${what} an empty prompt.`, { param: field });
  }
  if (promptTokens.length >= contextSize) {
    throw contextLengthExceeded(promptTokens.length, contextSize, "exactly", field);
  }
  rejectUnknownTokens(sampling.logitBias?.keys() ?? [], vocabularySize, () => "logit_bias");
  rejectUnknownTokens(stopping.stopTokens ?? [], vocabularySize, () => "stop_token_ids");
  const tokensLeft = contextSize - promptTokens.length;
  const maxTokens = Math.min(stopping.maxTokens ?? tokensLeft, tokensLeft);
  return {
    id,
    promptTokens,
    reading,
    maxTokens,
    sampling,
    stopping,
    topLogProbabilities,
    ...(logProbabilities && { logProbabilities }),
    ...(scoredTokens && { scoredTokens }),
    ...(evaluation && { evaluation }),
    ...(progress && { progress }),
    ...(slot !== undefined && { slot }),
  };
}
