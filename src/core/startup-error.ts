/**
 * The daemon cannot start for a reason that the operator can fix. The message is printed verbatim
 * on one line, without a stack trace.
 */
export class StartupError extends Error {
  override readonly name = "StartupError";

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}
