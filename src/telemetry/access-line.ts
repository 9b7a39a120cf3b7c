import type { RequestRecord } from "./request-record.js";
import { type AnswerTotals, errorCodeOf, totalsOf } from "./request-totals.js";

/** A line of the access log. Fields that have no value are absent. Never a prompt, a key, a header or a query. */
export interface AccessLine {
  readonly request_id: string;
  readonly method: string;
  readonly path: string;
  readonly answered_as?: string;
  readonly status: number;
  /** To the last byte of the answer. */
  readonly ms: number;
  readonly client: string;
  /** The name of the API key. */
  readonly key?: string;
  readonly model?: string;
  /** Absent: one. */
  readonly answers?: number;
  readonly prompt_tokens?: number;
  readonly cached_tokens?: number;
  readonly completion_tokens?: number;
  /** In the queue for a slot, until the first of its answers left it. */
  readonly queue_ms?: number;
  /** From the beginning of the request to the first token of any of its answers. */
  readonly ttft_ms?: number;
  /** Of all answers, each once, with commas between them. */
  readonly finish_reason?: string;
  /** The code of the error. */
  readonly error?: string;
  readonly cut_by_client?: true;
  readonly trace_id?: string;
}

/** The line of a request in the access log. */
export function accessLineOf(record: RequestRecord): AccessLine {
  const { beginning, end, traceId, answers } = record;
  const { answeredAs } = beginning;
  const totals = totalsOf(answers);
  const error = errorCodeOf(record);
  return {
    request_id: beginning.id,
    method: beginning.method,
    path: beginning.path,
    ...(answeredAs !== undefined && { answered_as: answeredAs }),
    status: end.status,
    ms: Math.round(end.durationMs),
    client: beginning.clientAddress,
    ...(end.keyName !== undefined && { key: end.keyName }),
    ...(totals !== undefined && fieldsOf(totals)),
    ...(error !== undefined && { error }),
    ...(end.delivery === "cut-by-client" && { cut_by_client: true }),
    ...(traceId !== undefined && { trace_id: traceId }),
  };
}

function fieldsOf(totals: AnswerTotals): Partial<AccessLine> {
  const { model, answers, queueMs, ttftMs, finishReasons } = totals;
  return {
    model,
    ...(answers > 1 && { answers }),
    prompt_tokens: totals.promptTokens,
    cached_tokens: totals.cachedTokens,
    completion_tokens: totals.completionTokens,
    queue_ms: Math.round(queueMs),
    ...(ttftMs !== undefined && { ttft_ms: Math.round(ttftMs) }),
    ...(finishReasons.length > 0 && { finish_reason: finishReasons.join(",") }),
  };
}
