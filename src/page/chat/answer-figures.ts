import type { AnswerRecord } from "./turns.js";

/**
 * What is said beside an answer: its model, how quick it was, how full the context is.
 * @param contextTokens what the model's context holds; absent: it is not known
 */
export function figuresOfAnswer(
  { model, status, usage, timings }: AnswerRecord,
  contextTokens: number | undefined,
): readonly string[] {
  return [
    model,
    ...(timings === undefined ? [] : [`${rounded(timings.predicted_per_second)} tokens/s`]),
    ...(usage === undefined ? [] : [contextUse(usage.total_tokens, contextTokens)]),
    ...(status === "incomplete" ? ["cut off"] : []),
    ...(status === "cancelled" ? ["stopped"] : []),
    ...(status === "failed" ? ["failed"] : []),
  ];
}

/** Of tokens per second: what is small has a decimal place. */
function rounded(rate: number): string {
  return rate < 10 ? rate.toFixed(1) : Math.round(rate).toLocaleString("en-US");
}

function contextUse(tokens: number, of: number | undefined): string {
  const used = tokens.toLocaleString("en-US");
  return of === undefined
    ? `${used} tokens of context`
    : `${used} of ${of.toLocaleString("en-US")} tokens of context`;
}
