/**
 * The daemon cannot start, and the person who started it can mend that.
 * The message is printed as it is, in one line, without a stack trace.
 */
export class StartupError extends Error {
  override readonly name = "StartupError";

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}
