import type { RerankingModel } from "../../../core/model-directory.js";
import type { PoolingAnswer } from "../../../core/pooling.js";
import { toScore } from "../../answers/scores.js";
import { toPoolingUsage, toScoreForm } from "../pooling-fields.js";
import type { Ranking, RerankRequest, TextRanking } from "./schema.js";
import { textsOf } from "./translate.js";

interface Ranked {
  /** Of the document in the request. */
  readonly index: number;
  readonly score: number;
  readonly text: string;
}

/**
 * What a request for a ranking is answered with: an array if it has `texts`.
 * @param answer a score for each document, in the request's order
 */
export function toRankingAnswer(
  answer: PoolingAnswer,
  body: RerankRequest,
  { id, served }: { readonly id: string; readonly served: RerankingModel },
): Ranking | TextRanking {
  const ranked = rank(answer, body, served);
  if (body.texts !== undefined) return toTextRanking(ranked, body);
  return {
    id,
    object: "list",
    model: served.alias,
    results: ranked.map(({ index, score, text }) => ({
      index,
      relevance_score: score,
      ...(body.return_documents && { document: { text } }),
    })),
    usage: toPoolingUsage(answer.promptTokens),
  };
}

function toTextRanking(
  ranked: readonly Ranked[],
  { return_text: hasText }: RerankRequest,
): TextRanking {
  return ranked.map(({ index, score, text }) => ({ index, score, ...(hasText && { text }) }));
}

/** By descending score; documents of one score stay in the request's order. */
function rank(
  { vectors }: PoolingAnswer,
  body: RerankRequest,
  { engine }: RerankingModel,
): readonly Ranked[] {
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
