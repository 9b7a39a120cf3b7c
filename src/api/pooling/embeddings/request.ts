import { z } from "zod";
import {
  NORMALISATIONS,
  type Normalisation,
  type PooledContent,
  type PooledInput,
  type PoolingRequest,
} from "../../../core/pooling.js";
import { boundedArray, boundedCount } from "../../../validation/bounded-collections.js";
import { integerBetween, oneOf, text, trueOrFalse } from "../../../validation/fields.js";
import { MAX_DIMENSIONS } from "../../answers/pooling.js";
import { VECTOR_TYPES } from "../../answers/quantised-vectors.js";
import { allowNullWhereOptional } from "../../fields/nulls.js";
import {
  atLeastOneInput,
  inputBound,
  MAX_INPUTS,
  modelField,
  toTruncation,
  truncationFields,
} from "../pooling-fields.js";

/** More than a request body can contain. */
const MAX_TOKENS = 1_000_000;

const texts = boundedArray(z.array(text()).min(1, atLeastOneInput), inputBound);

const token = integerBetween(0, Number.MAX_SAFE_INTEGER);

const tokens = boundedArray(
  z
    .array(token, { error: "expected token ids" })
    .min(1, { error: "expected at least one token id" }),
  { max: MAX_TOKENS, of: "token ids" },
);

const tokenLists = boundedArray(z.array(tokens).min(1, atLeastOneInput), inputBound);

/** One input. */
const textsAndTokens = boundedArray(
  z.array(z.union([token, text()], { error: "expected a token id or a text" })).min(1),
  {
    max: MAX_TOKENS,
    of: "token ids",
  },
);

/** One input as an object of llama-server, whose files are not supported, or of Jina. */
const inputObject = z
  .object({
    prompt_string: z.union([text(), textsAndTokens], { error: "expected a text" }).optional(),
    text: text().optional(),
    multimodal_data: z
      .array(z.unknown())
      .max(0, { error: "expected no files: embeddings are of text only" })
      .optional(),
  })
  .refine((one) => (one.prompt_string === undefined) !== (one.text === undefined), {
    path: ["prompt_string"],
    error: "expected a text, here or in text, and not in both",
  });

const differentInputs = boundedArray(
  z
    .array(
      z.union([text(), tokens, textsAndTokens, inputObject], {
        error: "expected a text or token ids",
      }),
    )
    .min(1, atLeastOneInput),
  inputBound,
);

const anyInput = z
  .union(
    [
      ...([text(), texts, tokens, tokenLists, textsAndTokens] as const),
      ...([differentInputs, inputObject] as const),
    ],
    {
      error: `expected a text, token ids, or a list of 1 to ${MAX_INPUTS} of either`,
    },
  )
  .meta({
    description:
      'The input or inputs to embed: texts, or lists of token ids, which may have texts among them. `{"prompt_string": text}` and `{"text": text}` are texts.',
  });

const input = boundedCount(anyInput, { ...inputBound, countOf: countInputs });

function countInputs(value: unknown): number {
  if (!Array.isArray(value)) return 1;
  const { length } = value;
  return isOneInput(value) ? 1 : length;
}

/** Whether a list is one input: of token ids, or of texts and token ids. */
function isOneInput(list: readonly unknown[]): list is readonly (string | number)[] {
  return list.some((item) => typeof item === "number");
}

/** Returns a new schema instance on each call, as `allowNullWhereOptional` requires. */
function normalisationField() {
  return integerBetween(...NORMALISATIONS)
    .optional()
    .meta({
      description:
        "Normalisation: -1: none, 0: the largest magnitude becomes 32760, 1: taxicab, 2: Euclidean, above: p-norm. Default: `--embd-normalize`, 2 unless it is set.",
    });
}

/** Fields of llama-server, TEI and vLLM that OpenAI's API does not have. */
function otherServersFields() {
  return {
    embd_normalize: normalisationField(),
    normalize: trueOrFalse().optional().meta({
      description: "`false`: same as `embd_normalize: -1`, which takes precedence.",
    }),
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
      encoding_format: oneOf(VECTOR_TYPES).optional().meta({
        description:
          "Number format. `base64`: little-endian 32-bit floats; `int8`, `uint8`: scaled by the largest component; `binary`, `ubinary`: the signs of eight components per byte. Default: `float`.",
      }),
      embedding_type: oneOf(VECTOR_TYPES).optional().meta({
        description: "Same as `encoding_format`, which takes precedence.",
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
    override: allowNullWhereOptional,
  });

type EmbeddingRequest = z.output<typeof embeddingRequest>;

/** Body of llama-server's `POST /embedding`, after nulls, which mean absent, have been removed. */
export const nativeEmbeddingRequest = z
  .looseObject(
    {
      model: modelField(),
      content: input.optional(),
      input: input.optional().meta({ description: "Same as `content`." }),
      embd_normalize: normalisationField(),
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
    override: allowNullWhereOptional,
  });

type NativeEmbeddingRequest = z.output<typeof nativeEmbeddingRequest>;

/** Selects the normalisation of the embeddings. */
export function selectNormalisation(
  {
    embd_normalize: normalisation,
    normalize,
  }: Pick<EmbeddingRequest, "embd_normalize" | "normalize">,
  byDefault: Normalisation,
): Normalisation {
  return normalisation ?? (normalize === false ? -1 : byDefault);
}

/**
 * Translates a request in OpenAI's format.
 * @param id unique among the requests in flight
 */
export function toPoolingRequest(body: EmbeddingRequest, id: string): PoolingRequest {
  return { id, inputs: toInputs(body.input, "input"), overlongInputs: toTruncation(body) };
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
  return { id, inputs, overlongInputs: "refused" };
}

/** @param field request field that holds the inputs */
function toInputs(input: EmbeddingRequest["input"], field: string): readonly PooledInput[] {
  if (!Array.isArray(input) || isOneInput(input)) {
    return [{ content: toPooledContent(input), field }];
  }
  return input.map((one, index) => ({ content: toPooledContent(one), field: `${field}.${index}` }));
}

type OneInput = string | readonly (string | number)[] | z.output<typeof inputObject>;

function toPooledContent(input: OneInput): PooledContent {
  if (typeof input === "string") return { type: "text", text: input };
  if (!("length" in input)) return toPooledContent(input.prompt_string ?? input.text ?? "");
  return input.every((part) => typeof part === "number")
    ? { type: "tokens", tokens: input }
    : { type: "mixed", parts: input };
}
