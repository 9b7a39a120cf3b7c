import type { GenerationDefaults } from "../../core/generation-request.js";
import { selectSamplingBy } from "../../core/sampling-table.js";

/** llama-server's value for unlimited tokens. */
const NO_LIMIT = -1;

/** llama-server's value for a random seed: -1 as an unsigned 32-bit integer. */
export const RANDOM_SEED = 2 ** 32 - 1;

/** Converts the model's defaults to llama-server's parameter names. */
export function toNativeDefaults({
  sampling,
  maxTokens = NO_LIMIT,
  seed = RANDOM_SEED,
}: GenerationDefaults) {
  return {
    seed,
    ...selectSamplingBy("json", sampling),
    max_tokens: maxTokens,
    n_predict: maxTokens,
  };
}
