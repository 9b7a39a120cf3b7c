import type { PoolingAnswer } from "../../../core/pooling.js";
import { toBase64, toNumbers, toShortUnitVector } from "../../answers/vectors.js";
import { toPoolingUsage } from "../pooling-fields.js";
import type { Embedding, EmbeddingList, EncodingFormat } from "./schema.js";

/** The fields of an answer beside its vectors. */
export function toListFields(
  { promptTokens }: PoolingAnswer,
  model: string,
): Omit<EmbeddingList, "data"> {
  return { object: "list", model, usage: toPoolingUsage(promptTokens) };
}

/**
 * A vector of an answer, of unit length.
 * @param vector as the model computed it
 * @param dimensions at most the vector's length
 */
export function toEmbedding(
  vector: Float32Array,
  index: number,
  { dimensions, format }: { readonly dimensions: number; readonly format: EncodingFormat },
): Embedding {
  const unit = toShortUnitVector(vector, dimensions);
  const embedding = format === "base64" ? toBase64(unit) : toNumbers(unit);
  return { object: "embedding", index, embedding };
}
