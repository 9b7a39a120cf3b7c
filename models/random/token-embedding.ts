import { tokenTypes } from "../gguf/token-types.js";
import { table, type Weight } from "./weights.js";

/**
 * The token embeddings, which are also the output matrix where the two are tied.
 *
 * The standard deviation 4 / √width gives logits a standard deviation of 4: a few tokens are likely,
 * as in a trained model. Control tokens get an eighth of it, so that an end-of-sequence token is
 * hardly ever sampled, and unused tokens get zero rows, so that sampled tokens have text.
 *
 * @param types llama.cpp's token type of each token
 */
export function tokenEmbedding(width: number, types: readonly number[]): Weight {
  const stdDev = 4 / Math.sqrt(width);
  return table("token_embd.weight", width, types.length, (token) => {
    if (types[token] === tokenTypes.unused) return 0;
    return types[token] === tokenTypes.control ? stdDev / 8 : stdDev;
  });
}
