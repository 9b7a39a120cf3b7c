import { z } from "zod";
import type { PooledContent, PooledInput, PoolingRequest } from "../../../core/pooling.js";
import { boundedArray, boundedCount } from "../../../validation/bounded-collections.js";
import { integerBetween, nonEmptyText, oneOf } from "../../../validation/fields.js";
import { MAX_DIMENSIONS } from "../../answers/pooling.js";
import { nullableWhereOptional } from "../../fields/nulls.js";
import { modelField, toTooLong, truncationFields } from "../pooling-fields.js";

/** OpenAI's limit. */
const MAX_INPUTS = 2_048;

/** Above the maximum of a request body. */
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
    description: "The input or inputs to embed, as texts or token ids.",
  });

const input = boundedCount(anyInput, { ...bound, countOf: inputsIn });

function inputsIn(value: unknown): number {
  return Array.isArray(value) && typeof value[0] !== "number" ? value.length : 1;
}

/**
 * Schemas of fields of llama-server, vLLM and Hugging Face's servers, with the only values that
 * this server supports.
 */
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

/** Body of `POST /v1/embeddings`, after nulls, which mean absent, have been removed. */
export const embeddingRequest = z
  .looseObject(
    {
      model: modelField(),
      input,
      encoding_format: oneOf(["float", "base64"]).optional().meta({
        description: "`base64` encodes little-endian 32-bit floats. Default: `float`.",
      }),
      dimensions: integerBetween(1, MAX_DIMENSIONS).optional().meta({
        description:
          "Length of the embeddings: their first components, normalised again. Default: the full length.",
      }),
      ...truncationFields(),
      ...otherServersFields(),
    },
    { error: "expected a JSON object" },
  )
  .meta({
    id: "EmbeddingRequest",
    description:
      "Optional fields may be `null`, which counts as absent. Unknown fields are ignored.",
    override: nullableWhereOptional,
  });

type EmbeddingRequest = z.output<typeof embeddingRequest>;

export type EncodingFormat = NonNullable<EmbeddingRequest["encoding_format"]>;

/** Body of llama-server's `POST /embedding`, after nulls, which mean absent, have been removed. */
export const nativeEmbeddingRequest = z
  .looseObject(
    {
      model: modelField(),
      content: input.optional(),
      input: input.optional().meta({ description: "Same as `content`." }),
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
    description:
      "Optional fields may be `null`, which counts as absent. Unknown fields are ignored.",
    override: nullableWhereOptional,
  });

type NativeEmbeddingRequest = z.output<typeof nativeEmbeddingRequest>;

/**
 * Translates a request in OpenAI's format.
 * @param id unique among the requests in flight
 */
export function toPoolingRequest(body: EmbeddingRequest, id: string): PoolingRequest {
  return { id, inputs: toInputs(body.input, "input"), tooLong: toTooLong(body) };
}

/**
 * Translates a request in llama-server's format.
 * @param id unique among the requests in flight
 */
export function toNativePoolingRequest(
  { content, input }: NativeEmbeddingRequest,
  id: string,
): PoolingRequest {
  const inputs =
    content === undefined ? toInputs(input ?? [], "input") : toInputs(content, "content");
  return { id, inputs, tooLong: "refused" };
}

/** @param field request field that holds the inputs */
function toInputs(input: EmbeddingRequest["input"], field: string): readonly PooledInput[] {
  if (typeof input === "string" || isTokens(input)) {
    return [{ content: toPooledContent(input), field }];
  }
  return input.map((one, index) => ({ content: toPooledContent(one), field: `${field}.${index}` }));
}

function isTokens(
  input: readonly string[] | readonly number[] | readonly (readonly number[])[],
): input is readonly number[] {
  return typeof input[0] === "number";
}

function toPooledContent(input: string | readonly number[]): PooledContent {
  return typeof input === "string"
    ? { type: "text", text: input }
    : { type: "tokens", tokens: input };
}
