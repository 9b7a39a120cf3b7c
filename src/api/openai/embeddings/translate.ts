import type { PooledContent, PooledInput, PoolingRequest } from "../../../core/pooling.js";
import { toTooLong } from "../pooling-fields.js";
import type { EmbeddingRequest, NativeEmbeddingRequest } from "./schema.js";

/** @param id unique among the requests in flight */
export function toPoolingRequest(body: EmbeddingRequest, id: string): PoolingRequest {
  return { id, inputs: toInputs(body.input, "input"), tooLong: toTooLong(body) };
}

/** @param id unique among the requests in flight */
export function toNativePoolingRequest(
  { content, input }: NativeEmbeddingRequest,
  id: string,
): PoolingRequest {
  const inputs =
    content === undefined ? toInputs(input ?? [], "input") : toInputs(content, "content");
  return { id, inputs, tooLong: "refused" };
}

/** @param field of the request, in which the inputs are */
function toInputs(input: EmbeddingRequest["input"], field: string): readonly PooledInput[] {
  if (typeof input === "string" || isTokens(input)) {
    return [{ content: contentOf(input), field }];
  }
  return input.map((one, index) => ({ content: contentOf(one), field: `${field}.${index}` }));
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
