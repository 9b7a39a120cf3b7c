import type { GenerationDefaults } from "../../core/generation-request.js";
import { samplingBy } from "../../core/sampling-table.js";

/** llama-server's value for unlimited tokens. */
const NO_LIMIT = -1;

/** Converts the model's defaults to llama-server's parameter names. */
export function toNativeDefaults({ sampling, maxTokens = NO_LIMIT }: GenerationDefaults) {
  return { ...samplingBy("json", sampling), max_tokens: maxTokens, n_predict: maxTokens };
}
