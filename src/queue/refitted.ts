import { GgufdError } from "../core/errors.js";
import type { PreparedGeneration } from "../core/generation-request.js";

/**
 * A generation for an engine that may have a smaller context than the one that prepared it: memory may have
 * become less while the engine was restarted.
 * @param contextSize what one request may hold, in tokens
 * @throws {GgufdError} `context_length_exceeded`
 */
export function refitted(prepared: PreparedGeneration, contextSize: number): PreparedGeneration {
  const { promptTokens, maxTokens } = prepared;
  const room = contextSize - promptTokens.length;
  if (room > 0) return maxTokens <= room ? prepared : { ...prepared, maxTokens: room };
  throw new GgufdError(
    "context_length_exceeded",
    `This model's maximum context length is ${contextSize} tokens since its process was restarted. However, your prompt has ${promptTokens.length} tokens.`,
  );
}
