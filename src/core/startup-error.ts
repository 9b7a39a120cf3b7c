import type { ModelKind } from "./model-directory.js";

/**
 * The daemon cannot start for a reason that the operator can fix. The message is printed verbatim
 * on one line, without a stack trace.
 */
export class StartupError extends Error {
  override readonly name: string = "StartupError";

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** The process that was to load a model has ended before the model was loaded. */
export class ProcessEndedError extends StartupError {
  override readonly name = "ProcessEndedError";
}

/** A worker (`--rpc`) cannot be used. */
export class WorkerError extends StartupError {
  override readonly name = "WorkerError";
  /** Address of the worker. */
  readonly worker: string;

  constructor(worker: string, message: string, cause?: unknown) {
    super(message, cause);
    this.worker = worker;
  }
}

/** A model file contains a different kind of model than it was to be loaded as. */
export class OtherKindError extends StartupError {
  override readonly name = "OtherKindError";
  /** Actual kind of the model. */
  readonly kind: ModelKind;

  constructor(kind: ModelKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
