import type { PoolingRequest } from "../../../core/pooling.js";
import { toTooLong } from "../pooling-fields.js";
import type { RerankRequest } from "./schema.js";

/** The texts that are ranked, in the request's order. */
export function textsOf({ documents = [], texts }: RerankRequest): readonly string[] {
  return texts ?? documents.map((one) => (typeof one === "string" ? one : one.text));
}

/** @param id unique among the requests in flight */
export function toPoolingRequest(body: RerankRequest, id: string): PoolingRequest {
  const { query, texts, max_tokens_per_doc: maxTokens } = body;
  const field = texts === undefined ? "documents" : "texts";
  return {
    id,
    inputs: textsOf(body).map((document, index) => ({
      content: { type: "pair", query, document },
      field: `${field}.${index}`,
    })),
    tooLong: toTooLong(body, maxTokens === undefined ? "refused" : "cut-at-end"),
  };
}
