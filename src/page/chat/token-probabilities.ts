import type { OutputText } from "../../api/responses/item-schema.js";
import type { AnswerItem } from "./turns.js";

export type ScoredToken = OutputText["logprobs"][number];

/** Returns the tokens of an answer's texts with their probabilities. */
export function listScoredTokens(items: readonly AnswerItem[]): readonly ScoredToken[] {
  return items.flatMap((item) =>
    item.type === "message"
      ? item.content.flatMap((part) => (part.type === "output_text" ? part.logprobs : []))
      : [],
  );
}

/** `98.2 %`, `0.04 %` */
export function formatProbability(logprob: number): string {
  const percentage = Math.exp(logprob) * 100;
  if (percentage > 0 && percentage < 0.01) return "< 0.01 %";
  return `${percentage.toFixed(percentage < 1 ? 2 : 1)} %`;
}

/** Shows whitespace and control characters of a token. */
export function formatToken(token: string): string {
  return token.replaceAll("\n", "⏎").replaceAll("\t", "⇥").replaceAll(" ", "␣") || "(empty)";
}

/** Probability bands, by which tokens are coloured. */
export type Band = "certain" | "likely" | "unsure" | "unlikely";

const BANDS: readonly (readonly [least: number, band: Band])[] = [
  [0.9, "certain"],
  [0.5, "likely"],
  [0.1, "unsure"],
];

export function findBand(logprob: number): Band {
  const probability = Math.exp(logprob);
  return BANDS.find(([least]) => probability >= least)?.[1] ?? "unlikely";
}
