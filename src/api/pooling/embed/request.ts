import { z } from "zod";
import type { PooledInput, PoolingRequest } from "../../../core/pooling.js";
import { boundedArray } from "../../../validation/bounded-collections.js";
import { integerBetween, oneOf, text } from "../../../validation/fields.js";
import { MAX_DIMENSIONS } from "../../answers/pooling.js";
import { VECTOR_TYPES } from "../../answers/quantised-vectors.js";
import { allowNullWhereOptional } from "../../fields/nulls.js";
import {
  atLeastOneInput,
  inputBound,
  modelField,
  toTruncation,
  truncationFields,
} from "../pooling-fields.js";

const textPart = z.looseObject({
  type: z.literal("text", { error: 'expected "text": embeddings are of text only' }),
  text: text(),
});

/** An input of several parts, whose texts are joined. */
const partedInput = z.looseObject({
  content: boundedArray(
    z.array(textPart, { error: "expected an array of texts" }).min(1, atLeastOneInput),
    inputBound,
  ),
});

/** Body of Cohere's `POST /v1/embed` and `/v2/embed`, after nulls have been removed. */
export const embedRequest = z
  .looseObject(
    {
      model: modelField(),
      texts: boundedArray(
        z.array(text(), { error: "expected an array of texts" }).min(1, atLeastOneInput),
        inputBound,
      )
        .optional()
        .meta({ description: "Texts to embed." }),
      inputs: boundedArray(
        z.array(partedInput, { error: "expected an array of inputs" }).min(1, atLeastOneInput),
        inputBound,
      )
        .optional()
        .meta({ description: "Inputs of several texts each, in place of `texts`." }),
      images: z
        .array(z.unknown())
        .max(0, { error: "expected no images: embeddings are of text only" })
        .optional(),
      input_type: text().optional().meta({
        description: "Ignored: clients add the instructions that some models expect.",
      }),
      embedding_types: boundedArray(
        z.array(oneOf(VECTOR_TYPES)).min(1, { error: "expected at least one type" }),
        { max: VECTOR_TYPES.length, of: "types" },
      )
        .optional()
        .meta({
          description:
            "Number formats of the embeddings. Default: `float`, which `/v1/embed` returns as a list.",
        }),
      output_dimension: integerBetween(1, MAX_DIMENSIONS).optional().meta({
        description:
          "Length of the embeddings: their first components, normalised again. Default: the full length.",
      }),
      ...truncationFields(),
    },
    { error: "expected a JSON object" },
  )
  .refine(({ texts, inputs }) => (texts === undefined) !== (inputs === undefined), {
    path: ["texts"],
    error: "expected texts, here or in inputs, and not in both",
  })
  .meta({
    id: "EmbedRequest",
    description:
      "Optional fields may be `null`, which counts as absent. Unknown fields are ignored.",
    override: allowNullWhereOptional,
  });

export type EmbedRequest = z.output<typeof embedRequest>;

/** Returns the texts to embed, each with the request field that holds it. */
function listInputs({ texts, inputs = [] }: EmbedRequest): readonly (readonly [string, string])[] {
  if (texts !== undefined) return texts.map((one, index) => [one, `texts.${index}`] as const);
  return inputs.map(
    ({ content }, index) =>
      [content.map((part) => part.text).join("\n"), `inputs.${index}.content`] as const,
  );
}

/** Returns the texts to embed. */
export function textsOf(body: EmbedRequest): readonly string[] {
  return listInputs(body).map(([one]) => one);
}

/**
 * Translates a request in Cohere's format, which truncates by default.
 * @param id unique among the requests in flight
 */
export function toPoolingRequest(body: EmbedRequest, id: string): PoolingRequest {
  const inputs = listInputs(body).map(
    ([one, field]): PooledInput => ({ content: { type: "text", text: one }, field }),
  );
  return { id, inputs, overlongInputs: toTruncation(body, "cut-at-end") };
}
