import assert from "node:assert/strict";
import type {
  EmbeddingModel,
  ModelDirectory,
  RerankingModel,
} from "../../../core/model-directory.js";
import type { PooledInput, PoolingAnswer } from "../../../core/pooling.js";
import { toScore } from "../../answers/scores.js";
import { cosineOf } from "../../answers/vectors.js";
import { toScoreForm } from "../pooling-fields.js";
import { type Texts, toPairInputs, toTextInputs } from "./pairs.js";
import type { ScoreRequest } from "./schema.js";

/** A model that can compare texts. */
export type Scorer = EmbeddingModel | RerankingModel;

/**
 * The model that a request names; without a name the first one that ranks.
 * @throws {GgufdError} the errors of {@link ModelDirectory.resolve}
 */
export async function findScorer(
  models: ModelDirectory,
  name: string | undefined,
): Promise<Scorer> {
  const named = name === undefined ? undefined : await models.find(name);
  return named?.kind === "embedding" ? named : models.resolve("reranking", name);
}

/** What a model is given to compare texts. */
export function toInputs({ kind }: Scorer, texts: Texts): readonly PooledInput[] {
  return kind === "embedding" ? toTextInputs(texts) : toPairInputs(texts);
}

/**
 * The score of each pair, by the answer to {@link toInputs}: the cosine of two embeddings, or what a
 * reranking model says.
 */
export function toScores(
  { vectors }: PoolingAnswer,
  {
    served,
    texts,
    body,
  }: { readonly served: Scorer; readonly texts: Texts; readonly body: ScoreRequest },
): readonly number[] {
  if (served.kind === "reranking") {
    const form = toScoreForm(body);
    return vectors.map((vector) => toScore(vector, served.engine, form));
  }
  const first = vectors.slice(0, texts.first.length);
  return vectors.slice(texts.first.length).map((vector, index) => {
    const other = first[index] ?? first[0];
    assert(other !== undefined, "there is a first text");
    return cosineOf(other, vector);
  });
}
