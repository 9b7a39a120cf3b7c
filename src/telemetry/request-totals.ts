import type { ErrorCode } from "../core/errors.js";
import { sumOf } from "../core/sum-of.js";
import type { AnswerEnding, AnswerRecord, RequestRecord } from "./request-record.js";

/** All answers of a request together. */
export interface AnswerTotals {
  readonly model: string;
  readonly answers: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  /** In the queue for a slot, until the first of them left it. */
  readonly queueMs: number;
  /** From the beginning of the request to the first token of any of them; absent: there was none. */
  readonly ttftMs?: number;
  /** In OpenAI's words, as far as it has any; each once. Inputs that were pooled have none. */
  readonly finishReasons: readonly string[];
}

/** @returns `undefined`: nothing was generated or pooled */
export function totalsOf(answers: readonly AnswerRecord[]): AnswerTotals | undefined {
  const [first] = answers;
  if (first === undefined) return undefined;
  const ttftMs = Math.min(...answers.map((answer) => answer.firstOutputAtMs ?? Infinity));
  return {
    model: first.model,
    answers: answers.length,
    promptTokens: sumOf(answers, (answer) => answer.promptTokens),
    cachedTokens: sumOf(answers, (answer) => answer.cachedTokens),
    completionTokens: sumOf(answers, (answer) => answer.completionTokens),
    reasoningTokens: sumOf(answers, (answer) => answer.reasoningTokens),
    queueMs: queueMsOf(answers),
    ...(ttftMs < Infinity && { ttftMs }),
    finishReasons: [...new Set(answers.flatMap(({ ending }) => finishReasonOf(ending)))],
  };
}

/** The error that a request, or the first of its answers that failed, ended with. */
export function errorCodeOf({ end, answers }: RequestRecord): ErrorCode | undefined {
  if (end.errorCode !== undefined) return end.errorCode;
  for (const { ending } of answers) if (ending.type === "failed") return ending.code;
  return undefined;
}

/** What never left the queue has waited to its end. */
function queueMsOf(answers: readonly AnswerRecord[]): number {
  const left = answers.map(({ runningAtMs, endedAtMs }) => runningAtMs ?? endedAtMs);
  return Math.min(...left) - Math.min(...answers.map((answer) => answer.waitingAtMs));
}

function finishReasonOf(ending: AnswerEnding): readonly string[] {
  switch (ending.type) {
    case "finished":
      return [ending.reason === "tool-calls" ? "tool_calls" : ending.reason];
    case "cancelled":
      return ["cancelled"];
    case "failed":
      return ["error"];
    case "pooled":
      return [];
  }
}
