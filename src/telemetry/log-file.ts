import { once } from "node:events";
import { type DestinationStream, pino } from "pino";
import { formatReason } from "../core/format-reason.js";
import { StartupError } from "../core/startup-error.js";
import { createAppendable } from "../files/regular-files.js";

/** An open file of log lines. */
export interface LogFile {
  readonly lines: DestinationStream;
  /** Reopens the path after the file was renamed; later lines are written to the new file. */
  reopen(): void;
  /** Resolves when every line has been written or has failed. */
  close(): Promise<void>;
}

export interface LogFileOptions {
  /** Flag that names the file, for errors. */
  readonly flag: string;
  /** Permissions of a new file. */
  readonly mode: number;
  /** Called when the file becomes unwritable, once until it is writable again. */
  readonly reportFailure: (reason: string) => void;
}

/** Maximum size of lines waiting for a slow disk; further lines are dropped. */
const MAX_WAITING_BYTES = 16 * 2 ** 20;
/**
 * Time limit for writing the last lines; a slower disk loses lines instead of delaying the exit.
 */
const CLOSING_MS = 2000;

/**
 * Opens a file for appending log lines. Writers never wait for it.
 * @throws {StartupError} if the file cannot be opened
 */
export async function openLogFile(
  path: string,
  { flag, mode, reportFailure }: LogFileOptions,
): Promise<LogFile> {
  expectWritable(flag, path, mode);
  const file = pino.destination({ dest: path, sync: false, mode, maxLength: MAX_WAITING_BYTES });
  await once(file, "ready");
  let reopened: Promise<unknown> = Promise.resolve();
  let state: "writing" | "failing" = "writing";
  const fail = (reason: string) => {
    if (state === "writing") reportFailure(reason);
    state = "failing";
  };
  file.on("error", (error) => fail(formatReason(error)));
  file.on("drop", () => fail("the disk is too slow"));
  file.on("write", () => {
    state = "writing";
  });
  // At exit pino would write the waiting lines again and again, forever on a full disk.
  const giveUp = () => {
    if (state === "failing") file.destroy();
  };
  process.prependListener("exit", giveUp);
  return {
    lines: file,
    reopen: () => {
      reopened = once(file, "ready").catch(() => undefined);
      file.reopen();
    },
    close: async () => {
      const closed = once(file, "close", { signal: AbortSignal.timeout(CLOSING_MS) });
      // Ending the destination while a reopen is pending would prevent its `close` event.
      void reopened.then(() => file.end());
      await closed.catch(() => undefined);
      file.destroy();
      process.off("exit", giveUp);
    },
  };
}

/**
 * Checks before pino opens the file: after a failed open, pino's destination would fail again at
 * exit.
 */
function expectWritable(flag: string, path: string, mode: number): void {
  try {
    createAppendable(path, mode);
  } catch (error) {
    throw new StartupError(`${flag} ${path}: cannot be opened: ${formatReason(error)}`, error);
  }
}
