import { LazyList } from "../../../core/lazy-list.js";
import type { PoolingAnswer } from "../../../core/pooling.js";
import { toBase64, toNumbers, toShortUnitVector } from "../../answers/vectors.js";
import { toPoolingUsage } from "../pooling-fields.js";
import type { Embedding, EmbeddingList, EncodingFormat, NativeEmbedding } from "./schema.js";

interface VectorForm {
  /** At most the model's. */
  readonly dimensions: number;
  readonly format: EncodingFormat;
}

/** An answer, whose vectors are printed one by one. */
export function toEmbeddingList(
  { vectors, promptTokens }: PoolingAnswer,
  model: string,
  form: VectorForm,
): Omit<EmbeddingList, "data"> & { readonly data: LazyList<Embedding> } {
  return {
    object: "list",
    data: LazyList.from(vectors, (vector, index) => toEmbedding(vector, index, form)),
    model,
    usage: toPoolingUsage(promptTokens),
  };
}

/** llama-server's answer, printed one by one too. */
export function toNativeEmbeddings({ vectors }: PoolingAnswer): LazyList<NativeEmbedding> {
  return LazyList.from(vectors, (vector, index) => ({
    index,
    embedding: [toNumbers(toShortUnitVector(vector, vector.length))],
  }));
}

/** A vector of an answer, of unit length. */
function toEmbedding(
  vector: Float32Array,
  index: number,
  { dimensions, format }: VectorForm,
): Embedding {
  const unit = toShortUnitVector(vector, dimensions);
  const embedding = format === "base64" ? toBase64(unit) : toNumbers(unit);
  return { object: "embedding", index, embedding };
}
