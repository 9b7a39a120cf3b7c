import { z } from "zod";
import type { PoolingRequest } from "../../../core/pooling.js";
import { boundedArray } from "../../../validation/bounded-collections.js";
import { integerBetween, nonEmptyText, text, trueOrFalse } from "../../../validation/fields.js";
import { allowNullWhereOptional } from "../../fields/nulls.js";
import { modelField, scoreFields, toTruncation, truncationFields } from "../pooling-fields.js";

/** The model runs once per document, with the query. */
const MAX_DOCUMENTS = 1_000;

const atLeastOneDocument = { error: "expected at least one document" };

const bound = { max: MAX_DOCUMENTS, of: "documents" };

const documentText = () => z.string({ error: "expected a document's text" });

const document = z.union([documentText(), z.looseObject({ text: documentText() })], {
  error: "expected a string, or an object with a text",
});

/** Body of `POST /v1/rerank`, after nulls, which mean absent, have been removed. */
export const rerankRequest = z
  .looseObject(
    {
      model: modelField(),
      query: nonEmptyText().meta({ description: "The query." }),
      documents: boundedArray(
        z.array(document, { error: "expected an array of documents" }).min(1, atLeastOneDocument),
        bound,
      )
        .optional()
        .meta({
          description:
            "Documents: texts, or objects with a `text`, whose other fields are ignored.",
        }),
      texts: boundedArray(
        z.array(text(), { error: "expected an array of strings" }).min(1, atLeastOneDocument),
        bound,
      )
        .optional()
        .meta({ description: "Documents, for an answer in TEI's format (an array)." }),
      top_n: integerBetween(0, Number.POSITIVE_INFINITY).optional().meta({
        description: "Maximum number of results. Default: 0, all.",
      }),
      return_documents: trueOrFalse().optional().meta({
        description: "Whether results include the texts of the documents.",
      }),
      return_text: trueOrFalse()
        .optional()
        .meta({ description: "Same as `return_documents`, for requests with `texts`." }),
      max_tokens_per_doc: integerBetween(1, Number.POSITIVE_INFINITY).optional().meta({
        description:
          "Truncates documents that are too long, at the model's limit regardless of this value.",
      }),
      rank_fields: boundedArray(
        z.array(z.literal("text", { error: 'expected "text", the only supported field' })),
        { max: 1, of: "fields" },
      ).optional(),
      ...truncationFields(),
      ...scoreFields(),
    },
    { error: "expected a JSON object" },
  )
  .refine(({ documents, texts }) => (documents === undefined) !== (texts === undefined), {
    path: ["documents"],
    error: "expected an array of documents here or in texts, and not in both",
  })
  .meta({
    id: "RerankRequest",
    description:
      "Optional fields may be `null`, which counts as absent. Unknown fields are ignored.",
    override: allowNullWhereOptional,
  });

export type RerankRequest = z.output<typeof rerankRequest>;

/** Texts to rank, in the request's order. */
export function textsOf({ documents = [], texts }: RerankRequest): readonly string[] {
  return texts ?? documents.map((one) => (typeof one === "string" ? one : one.text));
}

/**
 * Translates a request to one pair of query and document per document.
 * @param id unique among the requests in flight
 */
export function toPoolingRequest(body: RerankRequest, id: string): PoolingRequest {
  const { query, texts, max_tokens_per_doc: maxTokens } = body;
  const field = texts === undefined ? "documents" : "texts";
  return {
    id,
    inputs: textsOf(body).map((document, index) => ({
      content: { type: "pair", query, document },
      field: `${field}.${index}`,
    })),
    overlongInputs: toTruncation(body, maxTokens === undefined ? "refused" : "cut-at-end"),
  };
}
