import { z } from "zod";
import { LazyList } from "../../../core/json.js";
import type { PoolingAnswer } from "../../../core/pooling.js";
import { convertVector, VECTOR_TYPES, type VectorType } from "../../answers/quantised-vectors.js";
import { toShortVector } from "../../answers/vectors.js";
import { type EmbedRequest, textsOf } from "./request.js";

/** Version of Cohere's API that a path belongs to. */
export type CohereVersion = "1" | "2";

const vectors = z.array(z.array(z.number()));

const byType = z
  .object({
    float: vectors,
    base64: z.array(z.string()),
    int8: vectors,
    uint8: vectors,
    binary: vectors,
    ubinary: vectors,
  } satisfies Record<VectorType, z.ZodType>)
  .partial()
  .meta({
    id: "EmbeddingsByType",
    description:
      "Embeddings of the inputs, for each requested type. `base64` is of little-endian 32-bit floats. The components of `int8` and `uint8` are scaled by each vector's largest one. `binary` and `ubinary` are the signs of eight components per byte.",
  });

/** Response of Cohere's `POST /v1/embed` and `/v2/embed`. */
export const embedAnswer = z
  .object({
    id: z.string(),
    response_type: z.enum(["embeddings_floats", "embeddings_by_type"]).meta({
      description: "`embeddings_floats`: `embeddings` is a list.",
    }),
    embeddings: z.union([vectors, byType]),
    texts: z.array(z.string()).meta({ description: "Texts of the inputs." }),
    meta: z.object({
      api_version: z.object({ version: z.enum(["1", "2"]) }),
      billed_units: z.object({
        input_tokens: z.int().nonnegative().meta({
          description: "Number of tokens of all inputs, including special tokens.",
        }),
      }),
    }),
  })
  .meta({ id: "EmbedAnswer" });

interface AnswerForm {
  readonly id: string;
  readonly version: CohereVersion;
  /** At most the model's dimensions. */
  readonly dimensions: number;
}

/** Builds the response in Cohere's format, whose embeddings are serialised one at a time. */
export function toEmbedAnswer(
  { vectors: computed, promptTokens }: PoolingAnswer,
  body: EmbedRequest,
  { id, version, dimensions }: AnswerForm,
) {
  const { embedding_types: types } = body;
  const listAs = (type: VectorType) =>
    LazyList.from(computed, (vector) => convertVector(toShortVector(vector, dimensions), type));
  const isList = types === undefined && version === "1";
  return {
    id,
    response_type: isList ? "embeddings_floats" : "embeddings_by_type",
    embeddings: isList
      ? listAs("float")
      : Object.fromEntries(
          VECTOR_TYPES.filter((type) => (types ?? ["float"]).includes(type)).map((type) => [
            type,
            listAs(type),
          ]),
        ),
    texts: textsOf(body),
    meta: {
      api_version: { version },
      billed_units: { input_tokens: promptTokens },
    },
  };
}
