import { z } from "zod";
import type { RerankingModel } from "../../../core/model-directory.js";
import type { PoolingAnswer } from "../../../core/pooling.js";
import { toScore } from "../../answers/pooling.js";
import { poolingUsage, toPoolingUsage, toScoreForm } from "../pooling-fields.js";
import { type RerankRequest, textsOf } from "./request.js";

const index = z.int().nonnegative().meta({ description: "Index of the document in the request." });

/** Response of `POST /v1/rerank`. */
export const ranking = z
  .object({
    id: z.string(),
    object: z.literal("list"),
    model: z.string().meta({ description: "Name of the served model." }),
    results: z
      .array(
        z.object({
          index,
          relevance_score: z.number(),
          document: z.object({ text: z.string() }).optional(),
        }),
      )
      .meta({ description: "Results by descending score." }),
    usage: poolingUsage,
  })
  .meta({ id: "Ranking" });

/** Response to a request with `texts`. */
export const textRanking = z
  .array(z.object({ index, score: z.number(), text: z.string().optional() }))
  .meta({ id: "TextRanking", description: "Results by descending score." });

type Ranking = z.infer<typeof ranking>;

type TextRanking = z.infer<typeof textRanking>;

interface RankedDocument {
  /** Index of the document in the request. */
  readonly index: number;
  readonly score: number;
  readonly text: string;
}

/**
 * Builds the response to a reranking request: an array if the request has `texts`.
 * @param answer a score for each document, in the request's order
 */
export function toRankingAnswer(
  answer: PoolingAnswer,
  body: RerankRequest,
  { id, served }: { readonly id: string; readonly served: RerankingModel },
): Ranking | TextRanking {
  const rankedDocuments = rank(answer, body, served);
  if (body.texts !== undefined) return toTextRanking(rankedDocuments, body);
  return {
    id,
    object: "list",
    model: served.alias,
    results: rankedDocuments.map(({ index, score, text }) => ({
      index,
      relevance_score: score,
      ...(body.return_documents && { document: { text } }),
    })),
    usage: toPoolingUsage(answer.promptTokens),
  };
}

function toTextRanking(
  ranked: readonly RankedDocument[],
  { return_text: hasText }: RerankRequest,
): TextRanking {
  return ranked.map(({ index, score, text }) => ({ index, score, ...(hasText && { text }) }));
}

/** Sorts the documents by descending score. Ties keep the request's order. */
function rank(
  { vectors }: PoolingAnswer,
  body: RerankRequest,
  { engine }: RerankingModel,
): readonly RankedDocument[] {
  const texts = textsOf(body);
  const form = toScoreForm(body);
  return vectors
    .map((vector, index) => ({
      index,
      score: toScore(vector, engine, form),
      text: texts[index] ?? "",
    }))
    .toSorted((one, other) => other.score - one.score)
    .slice(0, body.top_n || texts.length);
}
