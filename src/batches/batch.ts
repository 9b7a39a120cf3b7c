import { NO_RESULTS, type ResultKind, type UnfinishedStatus } from "../core/batch-activity.js";

/** Dialect whose routes created a batch, and in whose form its results are. */
export type BatchDialect = "openai" | "anthropic";

export type EndStatus = "completed" | "failed" | "expired" | "cancelled";

export type BatchStatus = UnfinishedStatus | EndStatus;

/** Numbers of lines by result. */
export interface LineCounts extends Readonly<Record<ResultKind, number>> {
  /** 0 until the input is validated. */
  readonly total: number;
}

export const NO_LINES: LineCounts = { total: 0, ...NO_RESULTS };

/** Error of an input file. */
export interface InputError {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  /** Line number from 1; `null`: the error concerns the whole file. */
  readonly line: number | null;
}

/** A batch, as it is stored. Times are in milliseconds since 1970. */
export interface Batch {
  readonly id: string;
  readonly owner: string;
  readonly dialect: BatchDialect;
  /** Path of the route that answers the lines. */
  readonly endpoint: string;
  readonly inputFileId: string;
  /** Model that all lines name; absent: they name several or none, or are not validated. */
  readonly model?: string;
  readonly completionWindow: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Lifetime of the result files; absent: the longest one. */
  readonly resultSeconds?: number;
  readonly status: BatchStatus;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Times at which a status was entered. */
  readonly enteredAt: Readonly<Partial<Record<BatchStatus, number>>>;
  /** While the batch runs, the counts at its last start. */
  readonly counts: LineCounts;
  readonly errors: readonly InputError[];
  /** Result files; absent before the input is validated, and for files that are empty at the end. */
  readonly outputFileId?: string;
  readonly errorFileId?: string;
}

const END_STATUSES: ReadonlySet<string> = new Set<EndStatus>([
  "completed",
  "failed",
  "expired",
  "cancelled",
]);

export function hasEnded({ status }: { readonly status: string }): boolean {
  return END_STATUSES.has(status);
}

/** Returns the time at which a batch entered its status, in milliseconds since 1970. */
export function lastEntryOf({ enteredAt, status, createdAt }: Batch): number {
  return enteredAt[status] ?? createdAt;
}

/** Enters a status. */
export function enterStatus(batch: Batch, status: BatchStatus, now: number): Batch {
  return { ...batch, status, enteredAt: { ...batch.enteredAt, [status]: now } };
}

const HOUR_MS = 3_600_000;
const MAX_WINDOW_HOURS = 336;

/** Description of the accepted completion windows. */
export const windowError =
  'expected "24h", or another time from "1h" to "336h" or from "1d" to "14d"';

/** Parses a completion window; `undefined` if it is invalid. */
export function parseWindowMs(window: string): number | undefined {
  const [, digits, unit] = /^([1-9]\d{0,2})([hd])$/.exec(window) ?? [];
  const hours = Number(digits) * (unit === "d" ? 24 : 1);
  return hours <= MAX_WINDOW_HOURS ? hours * HOUR_MS : undefined;
}
