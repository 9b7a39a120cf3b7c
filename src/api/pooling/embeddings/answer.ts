import { z } from "zod";
import { LazyList } from "../../../core/json.js";
import type { Normalisation, PoolingAnswer } from "../../../core/pooling.js";
import { convertVector, type VectorType } from "../../answers/quantised-vectors.js";
import { toNumbers, toShortVector } from "../../answers/vectors.js";
import { poolingUsage, toPoolingUsage } from "../pooling-fields.js";

const embedding = z
  .object({
    object: z.literal("embedding"),
    index: z.int().nonnegative(),
    embedding: z.union([z.array(z.number()), z.string().meta({ contentEncoding: "base64" })]).meta({
      description: "Embedding, by default of unit length, in the requested number format.",
    }),
  })
  .meta({ id: "Embedding" });

type Embedding = z.infer<typeof embedding>;

/** Response of `POST /v1/embeddings`. */
export const embeddingList = z
  .object({
    object: z.literal("list"),
    data: z.array(embedding).meta({ description: "Embeddings in the order of the inputs." }),
    model: z.string().meta({ description: "Name of the served model." }),
    usage: poolingUsage,
  })
  .meta({ id: "EmbeddingList" });

export type EmbeddingList = z.infer<typeof embeddingList>;

/**
 * Response in llama-server's format: for each input, a list with its embedding, or with those of
 * its tokens.
 */
export const nativeEmbeddings = z
  .array(
    z.object({
      index: z.int().nonnegative(),
      embedding: z.array(z.array(z.number())).min(1).meta({
        description:
          "Embedding, by default of unit length; with `--embedding-pooling none`, the vectors of all tokens, which are not normalised.",
      }),
    }),
  )
  .meta({ id: "NativeEmbeddings" });

type NativeEmbedding = z.infer<typeof nativeEmbeddings>[number];

interface VectorForm {
  /** At most the model's dimensions. */
  readonly dimensions: number;
  readonly type: VectorType;
  readonly normalisation: Normalisation;
}

/** Builds the response in OpenAI's format, whose embeddings are serialised one at a time. */
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

/** Builds the response in llama-server's format, whose embeddings are serialised one at a time. */
export function toNativeEmbeddings(
  { vectors }: PoolingAnswer,
  normalisation: Normalisation,
): LazyList<NativeEmbedding> {
  return LazyList.from(vectors, (vector, index) => ({
    index,
    embedding: [toNumbers(toShortVector(vector, vector.length, normalisation))],
  }));
}

/**
 * Builds the response in llama-server's format without a pooling method. As in llama-server, the
 * vectors are not normalised.
 * @param dimensions length of the vector of a token
 */
export function toTokenEmbeddings(
  { vectors }: PoolingAnswer,
  dimensions: number,
): LazyList<{ readonly index: number; readonly embedding: LazyList<number[]> }> {
  return LazyList.from(vectors, (tokens, index) => ({
    index,
    embedding: new LazyList(tokens.length / dimensions, (token) =>
      toNumbers(tokens.subarray(token * dimensions, (token + 1) * dimensions)),
    ),
  }));
}

function toEmbedding(
  vector: Float32Array,
  index: number,
  { dimensions, type, normalisation }: VectorForm,
): Embedding {
  const shortVector = toShortVector(vector, dimensions, normalisation);
  return { object: "embedding", index, embedding: convertVector(shortVector, type) };
}
