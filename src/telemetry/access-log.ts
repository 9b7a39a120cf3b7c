import { type Logger, pino } from "pino";
import { type LogFile, openLogFile } from "./log-file.js";
import type { RequestReporter } from "./record-requests.js";
import {
  type AnswerTotals,
  computeTotals,
  errorCodeOf,
  type RequestRecord,
} from "./request-record.js";

/** Output of the access log: a logger, used at level info. */
export interface AccessLogger {
  info(line: AccessLine, message: string): void;
}

/** Logs one line for each request. */
export function createAccessLog(logger: AccessLogger): RequestReporter {
  return {
    begin: () => ({ complete: (record) => logger.info(buildAccessLine(record), "request") }),
  };
}

/**
 * A line of the access log. Fields without a value are absent. Never contains a prompt, a key, a
 * header or a query.
 */
export interface AccessLine {
  readonly request_id: string;
  readonly method: string;
  readonly path: string;
  readonly answered_as?: string;
  readonly status: number;
  /** Time to the last byte of the response. */
  readonly ms: number;
  readonly client: string;
  /** Name of the API key. */
  readonly key?: string;
  readonly model?: string;
  /** Number of answers; absent: one. */
  readonly answers?: number;
  readonly prompt_tokens?: number;
  readonly cached_tokens?: number;
  readonly completion_tokens?: number;
  /** Time in the queue, until the first answer got a slot. */
  readonly queue_ms?: number;
  /** From the start of the request to the first token of any of its answers. */
  readonly ttft_ms?: number;
  /** Distinct finish reasons of all answers, separated by commas. */
  readonly finish_reason?: string;
  /** Error code. */
  readonly error?: string;
  readonly cut_by_client?: true;
  /** Id of the batch that the request is a line of. */
  readonly batch?: string;
  readonly trace_id?: string;
}

/** Formats a request as a line of the access log. */
export function buildAccessLine(record: RequestRecord): AccessLine {
  const { beginning, end, traceId, answers } = record;
  const { answeredAs, batchId } = beginning;
  const totals = computeTotals(answers);
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
    ...(totals !== undefined && toTotalsFields(totals)),
    ...(error !== undefined && { error }),
    ...(end.delivery === "cut-by-client" && { cut_by_client: true }),
    ...(batchId !== undefined && { batch: batchId }),
    ...(traceId !== undefined && { trace_id: traceId }),
  };
}

function toTotalsFields(totals: AnswerTotals): Partial<AccessLine> {
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

/** An open access log file. */
export interface AccessLogFile extends Omit<LogFile, "lines"> {
  readonly lines: AccessLogger;
}

/** Not world-readable: lines contain client addresses and key names. */
const MODE = 0o640;

/**
 * Opens an access log file for appending. Requests never wait for it. When writing fails, the
 * daemon logs one error, and another one only if writing fails again after it has succeeded.
 * @param logger logger of the daemon
 * @throws {StartupError} if the file cannot be opened
 */
export async function openAccessLogFile(path: string, logger: Logger): Promise<AccessLogFile> {
  const file = await openLogFile(path, {
    flag: "--access-log",
    mode: MODE,
    reportFailure: (reason) => logger.error({ reason }, `--access-log ${path}: lines are lost`),
  });
  return { ...file, lines: pino({ level: "info", base: null }, file.lines) };
}
