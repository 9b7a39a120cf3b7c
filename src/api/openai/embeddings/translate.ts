import type { PooledContent, PooledInput, PoolingRequest } from "../../../core/pooling.js";
import { toTooLong } from "../pooling-fields.js";
import type { EmbeddingRequest } from "./schema.js";

/** @param id unique among the requests in flight */
export function toPoolingRequest(body: EmbeddingRequest, id: string): PoolingRequest {
  return { id, inputs: inputsOf(body), tooLong: toTooLong(body) };
}

function inputsOf({ input }: EmbeddingRequest): readonly PooledInput[] {
  if (typeof input === "string" || isTokens(input)) {
    return [{ content: contentOf(input), field: "input" }];
  }
  return input.map((one, index) => ({ content: contentOf(one), field: `input.${index}` }));
}

function isTokens(
  input: readonly string[] | readonly number[] | readonly (readonly number[])[],
): input is readonly number[] {
  return typeof input[0] === "number";
}

function contentOf(input: string | readonly number[]): PooledContent {
  return typeof input === "string"
    ? { type: "text", text: input }
    : { type: "tokens", tokens: input };
}
