import { once } from "node:events";
import { type Logger, pino } from "pino";
import { formatReason } from "../core/format-reason.js";
import { StartupError } from "../core/startup-error.js";
import { createAppendable } from "../files/named-files.js";
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
export function accessLog(logger: AccessLogger): RequestReporter {
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
  readonly trace_id?: string;
}

/** Formats a request as a line of the access log. */
export function buildAccessLine(record: RequestRecord): AccessLine {
  const { beginning, end, traceId, answers } = record;
  const { answeredAs } = beginning;
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

/** An open access log file. */
export interface AccessLogFile {
  readonly lines: AccessLogger;
  /** Reopens the path after the file was renamed; later lines are written to the new file. */
  reopen(): void;
  /** Resolves when every line has been written or has failed. */
  close(): Promise<void>;
}

/**
 * Maximum size of lines waiting for a slow disk; further lines are dropped, so that requests never
 * wait.
 */
const MAX_WAITING_BYTES = 16 * 2 ** 20;
/**
 * Time limit for writing the last lines; a slower disk loses lines instead of delaying the exit.
 */
const CLOSING_MS = 2000;
/** Not world-readable: lines contain client addresses and key names. */
const MODE = 0o640;

/**
 * Opens an access log file for appending. Requests never wait for it; when the file becomes
 * unwritable, the daemon's log reports it once until it is writable again.
 * @param logger logger of the daemon
 * @throws {StartupError} if the file cannot be opened
 */
export async function openAccessLogFile(path: string, logger: Logger): Promise<AccessLogFile> {
  expectWritable(path);
  const file = pino.destination({
    dest: path,
    sync: false,
    mode: MODE,
    maxLength: MAX_WAITING_BYTES,
  });
  await once(file, "ready");
  let reopened: Promise<unknown> = Promise.resolve();
  let state: "writing" | "failing" = "writing";
  const onTrouble = (reason: string) => {
    if (state === "writing") logger.error({ reason }, `--access-log ${path}: lines are lost`);
    state = "failing";
  };
  file.on("error", (error) => onTrouble(formatReason(error)));
  file.on("drop", () => onTrouble("the disk is too slow"));
  file.on("write", () => {
    state = "writing";
  });
  return {
    lines: pino({ level: "info", base: null }, file),
    reopen: () => {
      reopened = once(file, "ready").catch(() => undefined);
      file.reopen();
    },
    close: async () => {
      const closed = once(file, "close", { signal: AbortSignal.timeout(CLOSING_MS) });
      // Ending the destination while a reopen is pending would prevent its `close` event.
      void reopened.then(() => file.end());
      await closed.catch(() => undefined);
    },
  };
}

/**
 * Checks before pino opens the file: after a failed open, pino's destination would fail again at
 * exit.
 */
function expectWritable(path: string): void {
  try {
    createAppendable(path, MODE);
  } catch (error) {
    throw new StartupError(`--access-log ${path}: cannot be opened: ${formatReason(error)}`, error);
  }
}
