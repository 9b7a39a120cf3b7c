import type { AnswerRecord } from "./turns.js";

/**
 * Formats the metrics of an answer: model, speed, and use of the context.
 * @param contextTokens context size of the model; absent: unknown
 */
export function listStatistics(
  { model, usage, timings }: AnswerRecord,
  contextTokens: number | undefined,
): readonly string[] {
  return [
    model,
    ...(timings === undefined ? [] : [`${formatRate(timings.predicted_per_second)} tokens/s`]),
    ...(usage === undefined ? [] : [formatContextUse(usage.total_tokens, contextTokens)]),
  ];
}

/** Rounds tokens per second; small values keep one decimal place. */
function formatRate(rate: number): string {
  return rate < 10 ? rate.toFixed(1) : Math.round(rate).toLocaleString("en-US");
}

function formatContextUse(tokens: number, contextSize: number | undefined): string {
  const used = tokens.toLocaleString("en-US");
  return contextSize === undefined
    ? `${used} tokens of context`
    : `${used} of ${contextSize.toLocaleString("en-US")} tokens of context`;
}
