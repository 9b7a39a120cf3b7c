import type { GenerationDefaults } from "../../core/generation-request.js";
import { samplingBy } from "../../core/sampling-table.js";

/** llama-server's value for as many tokens as fit. */
const NO_LIMIT = -1;

/** Defaults for what a request leaves out, by llama-server's names. */
export function toNativeDefaults({ sampling, maxTokens = NO_LIMIT }: GenerationDefaults) {
  return { ...samplingBy("json", sampling), max_tokens: maxTokens, n_predict: maxTokens };
}
