import { GgufdError, refusalOf } from "../../core/errors.js";
import type {
  GenerationRequest,
  OutputReading,
  PreparedGeneration,
} from "../../core/generation-request.js";
import { contextLengthExceeded } from "./context-length.js";

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
  const { id, sampling, stopping } = request;
  if (promptTokens.length === 0) {
    throw new GgufdError("invalid_request", "The messages render to an empty prompt.", {
      param: "messages",
    });
  }
  if (promptTokens.length >= contextSize) {
    throw contextLengthExceeded(promptTokens.length, contextSize, "exactly");
  }
  for (const token of sampling.logitBias?.keys() ?? []) {
    if (token >= vocabularySize) throw unknownBiasToken(token, vocabularySize);
  }
  const tokensLeft = contextSize - promptTokens.length;
  const maxTokens = Math.min(stopping.maxTokens ?? tokensLeft, tokensLeft);
  return { id, promptTokens, reading, maxTokens, sampling, stopping };
}

function unknownBiasToken(token: number, vocabularySize: number): GgufdError {
  const expected = `a token id from 0 to ${vocabularySize - 1}`;
  const reason = `expected ${expected}, got ${token}`;
  return refusalOf("invalid_request", [{ field: "logit_bias", reason }]);
}
