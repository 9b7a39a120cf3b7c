import assert from "node:assert/strict";
import { z } from "zod";
import type { PoolingAnswer } from "../../../core/pooling.js";
import { toScore } from "../../answers/pooling.js";
import { cosineSimilarity } from "../../answers/vectors.js";
import { poolingUsage, toPoolingUsage, toScoreForm } from "../pooling-fields.js";
import type { ScoreRequest, Scorer, Texts } from "./request.js";

/** Response of `POST /v1/score`. */
export const scoreList = z
  .object({
    id: z.string(),
    object: z.literal("list"),
    created: z.int().meta({ description: "Unix time in seconds." }),
    model: z.string().meta({ description: "Name of the served model." }),
    data: z
      .array(
        z.object({
          index: z.int().nonnegative(),
          object: z.literal("score"),
          score: z.number().meta({
            description: "A probability (reranking model) or a cosine (embedding model).",
          }),
        }),
      )
      .meta({ description: "Scores in the order of the pairs." }),
    usage: poolingUsage,
  })
  .meta({ id: "ScoreList" });

type ScoreList = z.infer<typeof scoreList>;

/**
 * Builds the response to a scoring request.
 * @param answer a result for each of the inputs that `toInputs` returns
 */
export function toScoreList(
  answer: PoolingAnswer,
  request: ScoredRequest & { readonly id: string },
): ScoreList {
  return {
    id: request.id,
    object: "list",
    created: Math.floor(Date.now() / 1000),
    model: request.served.alias,
    data: toScores(answer, request).map((score, index) => ({ index, object: "score", score })),
    usage: toPoolingUsage(answer.promptTokens),
  };
}

interface ScoredRequest {
  readonly served: Scorer;
  readonly texts: Texts;
  readonly body: ScoreRequest;
}

/**
 * Computes the score of each pair: the cosine of two embeddings, or the score of a reranking model.
 */
function toScores(
  { vectors }: PoolingAnswer,
  { served, texts, body }: ScoredRequest,
): readonly number[] {
  if (served.kind === "reranking") {
    const form = toScoreForm(body);
    return vectors.map((vector) => toScore(vector, served.engine, form));
  }
  const first = vectors.slice(0, texts.first.length);
  return vectors.slice(texts.first.length).map((vector, index) => {
    const other = first[index] ?? first[0];
    assert(other !== undefined, "expected at least one embedding of a first text");
    return cosineSimilarity(other, vector);
  });
}
