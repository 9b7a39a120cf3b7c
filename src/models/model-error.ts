/** What is wrong with a name, a source, or what is stored. Who serves models maps these to its own errors. */
export type ModelErrorCode =
  /** A name, URL or path that cannot mean a model. */
  | "invalid_name"
  /** Nothing of that name is on this machine, or at the source. */
  | "not_found"
  /** A name that several models have. */
  | "ambiguous"
  /** It would have to be fetched, and the network is not to be used. */
  | "offline"
  /** The source wants a token, or another one. */
  | "access_denied"
  /** The source cannot be reached, or does not get an answer through. */
  | "source_unavailable"
  /** The source answers what its protocol does not have, or what contradicts itself. */
  | "invalid_answer"
  /** What came is not what was asked for. */
  | "wrong_content"
  | "disk_full"
  /** A file or folder cannot be read or written. */
  | "storage"
  /** Files of another program, which it alone removes. */
  | "not_ours"
  /** Another process is changing it. */
  | "in_use";

/** An operation on stored models fails for a reason that its caller can be told, on one line. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ModelErrorCode;

  constructor(code: ModelErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
