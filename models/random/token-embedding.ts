import { tokenTypes } from "../gguf/token-types.js";
import { table, type Weight } from "./weights.js";

/**
 * Token embeddings, which are also the output matrix if the two are tied.
 * @param types llama.cpp's token type of each token
 */
export function tokenEmbedding(width: number, types: readonly number[]): Weight {
  return tokenTable("token_embd.weight", width, types);
}

/**
 * Output matrix of a model in which it is not tied to the token embeddings.
 * @param types llama.cpp's token type of each token
 */
export function outputMatrix(width: number, types: readonly number[]): Weight {
  return tokenTable("output.weight", width, types);
}

/**
 * Standard deviation of the elements of a token's embedding. It gives logits a standard deviation
 * of 4, so that a few tokens are likely, as in a trained model.
 */
export function tokenDeviation(width: number): number {
  return 4 / Math.sqrt(width);
}

/**
 * Table with a row per token.
 *
 * Control tokens get an eighth of the deviation, so that an end-of-sequence token is rarely
 * sampled, and unused tokens get zero rows, so that sampled tokens have text.
 */
function tokenTable(name: string, width: number, types: readonly number[]): Weight {
  const stdDev = tokenDeviation(width);
  return table(name, width, types.length, (token) => {
    if (types[token] === tokenTypes.unused) return 0;
    return types[token] === tokenTypes.control ? stdDev / 8 : stdDev;
  });
}
