/** Statuses of batches that have not ended. */
export const UNFINISHED_STATUSES = [
  "validating",
  "in_progress",
  "finalizing",
  "cancelling",
] as const;

export type UnfinishedStatus = (typeof UNFINISHED_STATUSES)[number];

/** Results of lines. */
export const RESULT_KINDS = ["succeeded", "errored", "canceled", "expired"] as const;

export type ResultKind = (typeof RESULT_KINDS)[number];

export const NO_RESULTS: Readonly<Record<ResultKind, number>> = {
  succeeded: 0,
  errored: 0,
  canceled: 0,
  expired: 0,
};

/** Lines of one model, of validated batches. */
export interface LineActivity {
  readonly waiting: number;
  readonly running: number;
  /** Lines that got a result since the start of the process. */
  readonly results: Readonly<Record<ResultKind, number>>;
}

/** Unfinished batches and lines of batches. */
export interface BatchActivity {
  readonly batches: Readonly<Record<UnfinishedStatus, number>>;
  /** By the alias of the model; {@link UNKNOWN_MODEL}: the lines name no model of the server. */
  readonly lines: ReadonlyMap<string, LineActivity>;
}

/** Stands for the names of models that only clients know. */
export const UNKNOWN_MODEL = "none";

/** Activity of a server without batches. */
export const NO_BATCHES: BatchActivity = {
  batches: { validating: 0, in_progress: 0, finalizing: 0, cancelling: 0 },
  lines: new Map(),
};
