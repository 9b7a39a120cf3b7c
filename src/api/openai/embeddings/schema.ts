import { z } from "zod";
import { boundedArray, boundedCount } from "../../../validation/bounded-collections.js";
import { integerBetween, nonEmptyText, oneOf } from "../../../validation/fields.js";
import { MAX_DIMENSIONS } from "../../answers/dimensions.js";
import { nullableWhereOptional } from "../describe-nulls.js";
import { modelField, poolingUsage, truncationFields } from "../pooling-fields.js";

/** OpenAI's limit. */
const MAX_INPUTS = 2_048;
/** Above what a body may hold. */
const MAX_TOKENS = 1_000_000;

const atLeastOneInput = { error: "expected at least one input" };
const bound = { max: MAX_INPUTS, of: "inputs" };
const texts = boundedArray(z.array(nonEmptyText()).min(1, atLeastOneInput), bound);
const tokens = boundedArray(
  z
    .array(integerBetween(0, Number.MAX_SAFE_INTEGER), { error: "expected token ids" })
    .min(1, { error: "expected at least one token id" }),
  { max: MAX_TOKENS, of: "token ids" },
);
const tokenLists = boundedArray(z.array(tokens).min(1, atLeastOneInput), bound);

const anyInput = z
  .union([nonEmptyText(), texts, tokens, tokenLists], {
    error: `expected a non-empty text, token ids, or a list of 1 to ${MAX_INPUTS} of either`,
  })
  .meta({
    description: "What vectors are made of: a text, token ids, or several of either.",
  });
const input = boundedCount(anyInput, { ...bound, countOf: inputsIn });

function inputsIn(value: unknown): number {
  return Array.isArray(value) && typeof value[0] !== "number" ? value.length : 1;
}

/** Of llama-server, vLLM and Hugging Face's servers, with the values that change nothing. */
function otherServersFields() {
  return {
    embd_normalize: z
      .literal(2, { error: "expected 2, because vectors have unit length" })
      .optional(),
    normalize: z
      .literal(true, { error: "expected true, because vectors have unit length" })
      .optional(),
    add_special_tokens: z
      .literal(true, { error: "expected true; token ids are read as they are" })
      .optional(),
  };
}

/** The body of `POST /v1/embeddings`. Nulls, which mean absent, have been removed. */
export const embeddingRequest = z
  .looseObject(
    {
      model: modelField(),
      input,
      encoding_format: oneOf(["float", "base64"]).optional().meta({
        description: "base64: of little-endian 32-bit floats. Default: float.",
      }),
      dimensions: integerBetween(1, MAX_DIMENSIONS).optional().meta({
        description:
          "Length of the vectors: so many first components, normalised again. Default: the model's.",
      }),
      ...truncationFields(),
      ...otherServersFields(),
    },
    { error: "expected a JSON object" },
  )
  .meta({
    id: "EmbeddingRequest",
    description: "null means absent for every optional field. Unknown fields are ignored.",
    override: nullableWhereOptional,
  });

/** The body of llama-server's `POST /embedding`. Nulls, which mean absent, have been removed. */
export const nativeEmbeddingRequest = z
  .looseObject(
    {
      model: modelField(),
      content: input.optional(),
      input: input.optional().meta({ description: "The same as `content`." }),
      embd_normalize: otherServersFields().embd_normalize,
    },
    { error: "expected a JSON object" },
  )
  .refine(({ content, input }) => (content === undefined) !== (input === undefined), {
    path: ["content"],
    error: "expected texts or token ids, here or in input, and not in both",
  })
  .meta({
    id: "NativeEmbeddingRequest",
    description: "null means absent for every optional field. Unknown fields are ignored.",
    override: nullableWhereOptional,
  });

export type NativeEmbeddingRequest = z.output<typeof nativeEmbeddingRequest>;

/** llama-server's answer: of each input, a list with its vector. */
export const nativeEmbeddings = z
  .array(
    z.object({
      index: z.int().nonnegative(),
      embedding: z.array(z.array(z.number())).length(1).meta({ description: "Of unit length." }),
    }),
  )
  .meta({ id: "NativeEmbeddings" });

export type NativeEmbedding = z.infer<typeof nativeEmbeddings>[number];

export type EmbeddingRequest = z.output<typeof embeddingRequest>;
export type EncodingFormat = NonNullable<EmbeddingRequest["encoding_format"]>;

const embedding = z
  .object({
    object: z.literal("embedding"),
    index: z.int().nonnegative(),
    embedding: z
      .union([z.array(z.number()), z.string().meta({ contentEncoding: "base64" })])
      .meta({ description: "Of unit length; numbers, or base64 of little-endian 32-bit floats." }),
  })
  .meta({ id: "Embedding" });

export type Embedding = z.infer<typeof embedding>;

/** The answer of `POST /v1/embeddings`. */
export const embeddingList = z
  .object({
    object: z.literal("list"),
    data: z.array(embedding).meta({ description: "In the order of the inputs." }),
    model: z.string().meta({ description: "The name of the served model." }),
    usage: poolingUsage,
  })
  .meta({ id: "EmbeddingList" });

export type EmbeddingList = z.infer<typeof embeddingList>;
