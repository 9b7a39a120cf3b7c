import { constants } from "node:os";
import { formatReason } from "../../src/core/format-reason.js";
import { StartupError } from "../../src/core/startup-error.js";
import { InputError } from "./input-error.js";

/**
 * Runs the body of a command-line script. An error that the user can fix ends it with one line on
 * stderr and exit status 2; SIGINT and SIGTERM abort the signal. Other errors are defects and keep
 * their stack trace.
 */
export async function runScript(
  body: (args: readonly string[], signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const onSignal = (name: "SIGINT" | "SIGTERM") => {
    process.exitCode = 128 + constants.signals[name];
    stop.abort();
  };
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  try {
    await body(process.argv.slice(2), stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return;
    if (!isUserError(error)) throw error;
    process.stderr.write(`error: ${formatReason(error)}\n`);
    process.exitCode = 2;
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

/** Invalid input, a daemon that cannot start, or a failed file operation. */
function isUserError(error: unknown): boolean {
  return (
    error instanceof InputError ||
    error instanceof StartupError ||
    (error instanceof Error && "code" in error && "syscall" in error)
  );
}
