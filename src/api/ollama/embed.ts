import { LazyList } from "../../core/lazy-list.js";
import type { PooledInput, PoolingAnswer, PoolingRequest } from "../../core/pooling.js";
import { toNumbers, toShortUnitVector } from "../answers/vectors.js";
import { toNanoseconds } from "./answer-frame.js";
import type { EmbeddingsRequest, EmbedRequest, EmbedResponse } from "./embed-schema.js";

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
  return { id, inputs, tooLong: truncate ? "cut-at-end" : "refused" };
}

function inputsOf(input: string | readonly string[]): readonly PooledInput[] {
  if (typeof input === "string") return input === "" ? [] : [inputOf(input, "input")];
  return input.map((text, index) => inputOf(text, `input.${index}`));
}

/**
 * Translates a request of `/api/embeddings`, which has no field for texts that are too long.
 * @param id unique among the requests in flight
 * @returns `undefined`: there is nothing to embed
 */
export function toEmbeddingsPooling(
  { prompt = "" }: EmbeddingsRequest,
  id: string,
): PoolingRequest | undefined {
  if (prompt === "") return undefined;
  return { id, inputs: [inputOf(prompt, "prompt")], tooLong: "cut-at-end" };
}

function inputOf(text: string, field: string): PooledInput {
  return { content: { type: "text", text }, field };
}

/**
 * An answer of `/api/embed`, whose vectors are printed one by one.
 * @param dimensions of its vectors; at most the model's
 */
export function toEmbedResponse(
  { vectors, promptTokens }: Pick<PoolingAnswer, "vectors" | "promptTokens">,
  {
    model,
    dimensions,
    elapsedMs,
  }: { readonly model: string; readonly dimensions: number; readonly elapsedMs: number },
): Omit<EmbedResponse, "embeddings"> & { readonly embeddings: LazyList<number[]> } {
  return {
    model,
    embeddings: LazyList.from(vectors, (vector) =>
      toNumbers(toShortUnitVector(vector, dimensions)),
    ),
    total_duration: toNanoseconds(elapsedMs),
    load_duration: 0,
    prompt_eval_count: promptTokens,
  };
}
