import assert from "node:assert/strict";
import type { Caller } from "../../core/caller.js";
import { createRefusal, GgufdError } from "../../core/errors.js";
import type {
  EmbeddingDescription,
  PoolingAnswer,
  PoolingRequest,
  PoolingService,
  RerankingDescription,
} from "../../core/pooling.js";
import { sigmoid } from "./vectors.js";

/**
 * Computes the embeddings or scores of a request, one for each input.
 * @returns `undefined` if the client disconnected
 * @throws {GgufdError} the errors of {@link PoolingService.pool}
 */
export async function poolUnlessDisconnected(
  pooling: PoolingService,
  request: PoolingRequest,
  caller: Caller,
): Promise<PoolingAnswer | undefined> {
  try {
    const answer = await pooling.pool(request, caller);
    assert.equal(answer.vectors.length, request.inputs.length, "every input must have one vector");
    return answer;
  } catch (error) {
    const { aborted, reason } = caller.signal;
    if (aborted && !(reason instanceof GgufdError)) return undefined;
    throw error;
  }
}

/**
 * Rejects models that have a vector per token, where an input must have one vector.
 * @throws {GgufdError} `invalid_request`, with llama-server's message
 */
export function expectPooling({ pooling }: Pick<EmbeddingDescription, "pooling">): void {
  if (pooling !== "none") return;
  throw new GgufdError(
    "invalid_request",
    "Pooling type 'none' is not OAI compatible. Please use a different pooling type (--embedding-pooling mean, cls or last), or POST /embedding.",
    { param: "model" },
  );
}

/** Above the embedding size of any model. */
export const MAX_DIMENSIONS = 65_536;

/**
 * Returns the length of the embeddings to send, which is at most the model's.
 * @param requested value of the field; `undefined`: the model's
 * @throws {GgufdError} `invalid_request`
 */
export function resolveDimensions(
  { dimensions: most }: Pick<EmbeddingDescription, "dimensions">,
  requested: number | undefined,
  field = "dimensions",
): number {
  if (requested === undefined || requested <= most) return requested ?? most;
  const reason = `expected an integer from 1 to ${most}, the dimensions of this model, got ${requested}`;
  throw createRefusal("invalid_request", [{ field, reason }]);
}

/** `as-computed`: the model's own scale, which may be logits. */
export type ScoreForm = "probability" | "as-computed";

/**
 * Converts the output of a reranking model to the score of a document.
 * @param vector output of length 1, as computed by the model
 */
export function toScore(
  vector: Float32Array,
  { scoreScale }: Pick<RerankingDescription, "scoreScale">,
  form: ScoreForm,
): number {
  const [score] = vector;
  assert(vector.length === 1 && Number.isFinite(score), "a document must have one finite score");
  return form === "probability" && scoreScale === "logit" ? sigmoid(Number(score)) : Number(score);
}
