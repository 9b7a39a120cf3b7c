import assert from "node:assert/strict";
import { z } from "zod";
import { LazyList } from "../../core/json.js";
import type { PooledInput, PoolingAnswer, PoolingRequest } from "../../core/pooling.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import { integerBetween, text, trueOrFalse } from "../../validation/fields.js";
import { MAX_DIMENSIONS } from "../answers/pooling.js";
import { toNumbers, toShortVector } from "../answers/vectors.js";
import { type AnswerOrigin, toNanoseconds } from "./answer.js";
import { keepAlive, modelName, optional, options } from "./schema.js";

const MAX_INPUTS = 2_048;

const input = z.union([text(), boundedArray(z.array(text()), { max: MAX_INPUTS, of: "inputs" })], {
  error: `expected a string, or an array of at most ${MAX_INPUTS} strings`,
});

const commonFields = {
  model: modelName.meta({
    description:
      "Name of the model, with or without `:latest`. Default: the first embedding model.",
  }),
  options: optional(options).meta({ description: "Ignored." }),
  keep_alive: keepAlive,
};

const notAnObject = { error: "expected a JSON object" };
const description =
  "Optional fields may be `null`, which counts as absent. Unknown fields are ignored.";

/** Body of `POST /api/embed`. */
export const embedRequest = z
  .looseObject(
    {
      ...commonFields,
      input: optional(input).meta({
        description: "The text or texts to embed. No text gives no embeddings.",
      }),
      truncate: optional(trueOrFalse()).meta({
        description:
          "Whether texts that are too long are truncated at the end. With `false` they are rejected. Default: `true`.",
      }),
      dimensions: optional(integerBetween(0, MAX_DIMENSIONS)).meta({
        description:
          "Length of the embeddings: their first components, normalised again. Default: 0, the full length.",
      }),
    },
    notAnObject,
  )
  .meta({ id: "OllamaEmbedRequest", description });

/** Body of `POST /api/embeddings`. */
export const embeddingsRequest = z
  .looseObject(
    {
      ...commonFields,
      prompt: optional(text()).meta({
        description: "The text to embed. An empty text gives an empty embedding.",
      }),
    },
    notAnObject,
  )
  .meta({ id: "OllamaEmbeddingsRequest", description });

type EmbedRequest = z.output<typeof embedRequest>;
type EmbeddingsRequest = z.output<typeof embeddingsRequest>;

const vector = z.array(z.number());
const nanoseconds = z.int().nonnegative();

/** Response of `/api/embed`. */
export const embedResponse = z
  .object({
    model: z.string().meta({ description: "Name of the served model." }),
    total_duration: nanoseconds.meta({ description: "Total time of the request, in nanoseconds." }),
    load_duration: nanoseconds.meta({
      description: "Time to load the model. 0: it was loaded already.",
    }),
    prompt_eval_count: z.int().nonnegative().meta({ description: "Total number of input tokens." }),
    embeddings: z
      .array(vector)
      .meta({ description: "Embeddings of unit length, in the order of the texts." }),
  })
  .meta({ id: "OllamaEmbedResponse" });

/** Response of `/api/embeddings`. */
export const embeddingsResponse = z
  .object({
    embedding: vector.meta({ description: "Embedding as computed by the model, not normalised." }),
  })
  .meta({ id: "OllamaEmbeddingsResponse" });

export type EmbedResponse = z.infer<typeof embedResponse>;
export type EmbeddingsResponse = z.infer<typeof embeddingsResponse>;

/**
 * Translates a request of `/api/embed`.
 * @param id unique among the requests in flight
 * @returns `undefined`: there is nothing to embed
 */
export function toEmbedPooling(
  { input = [], truncate = true }: EmbedRequest,
  id: string,
): PoolingRequest | undefined {
  const inputs = inputsOf(input);
  if (inputs.length === 0) return undefined;
  return { id, inputs, overlongInputs: truncate ? "cut-at-end" : "refused" };
}

function inputsOf(input: string | readonly string[]): readonly PooledInput[] {
  if (typeof input === "string") return input === "" ? [] : [inputOf(input, "input")];
  return input.map((text, index) => inputOf(text, `input.${index}`));
}

/**
 * Translates a request of `/api/embeddings`, which has no field that controls truncation.
 * @param id unique among the requests in flight
 * @returns `undefined`: there is nothing to embed
 */
export function toEmbeddingsPooling(
  { prompt = "" }: EmbeddingsRequest,
  id: string,
): PoolingRequest | undefined {
  if (prompt === "") return undefined;
  return { id, inputs: [inputOf(prompt, "prompt")], overlongInputs: "cut-at-end" };
}

function inputOf(text: string, field: string): PooledInput {
  return { content: { type: "text", text }, field };
}

/**
 * Builds the response of `/api/embed`, whose embeddings are serialised one at a time.
 * @param dimensions length of the embeddings; at most the model's
 */
export function toEmbedResponse(
  { vectors, promptTokens }: Pick<PoolingAnswer, "vectors" | "promptTokens">,
  {
    model,
    dimensions,
    loadMs,
    elapsedMs,
  }: Pick<AnswerOrigin, "model" | "loadMs"> & {
    readonly dimensions: number;
    readonly elapsedMs: number;
  },
): Omit<EmbedResponse, "embeddings"> & { readonly embeddings: LazyList<number[]> } {
  assert(dimensions > 0 && vectors.every(({ length }) => dimensions <= length));
  return {
    model,
    embeddings: LazyList.from(vectors, (vector) => toNumbers(toShortVector(vector, dimensions))),
    total_duration: toNanoseconds(elapsedMs),
    load_duration: toNanoseconds(loadMs),
    prompt_eval_count: promptTokens,
  };
}
