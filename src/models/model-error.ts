/**
 * Reasons for errors of names, sources and stored models. The server maps them to its own error
 * codes.
 */
export type ModelErrorCode =
  /** The name, URL or path cannot refer to a model. */
  | "invalid_name"
  /** There is no such model on this machine or at the source. */
  | "not_found"
  /** Several models have the name. */
  | "ambiguous"
  /** The model would have to be downloaded, but the network is disabled. */
  | "offline"
  /** The source requires a token, or a different one. */
  | "access_denied"
  /** The source cannot be reached or does not complete its answer. */
  | "source_unavailable"
  /** The answer violates the source's protocol or contradicts itself. */
  | "invalid_answer"
  /** The received content is not the expected one. */
  | "wrong_content"
  | "disk_full"
  /** A file or folder cannot be read or written. */
  | "storage"
  /** The files belong to another program, which alone may remove them. */
  | "not_ours"
  /** Another process is changing the model. */
  | "in_use";

/** Failure of an operation on stored models. The message is one line and suitable for users. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ModelErrorCode;

  constructor(code: ModelErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
