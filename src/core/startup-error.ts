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

/** A model file is for something else than what it was to be loaded for. */
export class OtherKindError extends StartupError {
  override readonly name = "OtherKindError";
  /** What it is for. */
  readonly kind: ModelKind;

  constructor(kind: ModelKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
