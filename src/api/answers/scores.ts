import assert from "node:assert/strict";
import type { RerankingDescription } from "../../core/pooling.js";
import { sigmoid } from "./vectors.js";

/** `as-computed`: logits stay logits. */
export type ScoreForm = "probability" | "as-computed";

/**
 * The score of a document.
 * @param vector of length 1, as the model computed it
 */
export function toScore(
  vector: Float32Array,
  { scoreScale }: Pick<RerankingDescription, "scoreScale">,
  form: ScoreForm,
): number {
  const [score] = vector;
  assert(vector.length === 1 && Number.isFinite(score), "a document has one finite score");
  return form === "probability" && scoreScale === "logit" ? sigmoid(Number(score)) : Number(score);
}
