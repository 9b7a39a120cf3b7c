import { once } from "node:events";
import { open } from "node:fs/promises";
import { type Logger, pino } from "pino";
import { reasonOf } from "../core/reason-of.js";
import { StartupError } from "../core/startup-error.js";
import type { AccessLogger } from "./access-log.js";

/** A file of access log lines. */
export interface AccessLogFile {
  readonly lines: AccessLogger;
  /** Opens the path anew, after the file was renamed: what is written from now on goes there. */
  reopen(): void;
  /** Resolves when all lines are written, or cannot be. */
  close(): Promise<void>;
}

/** Lines that wait for a slow disk; beyond that they are dropped, so that requests never wait. */
const MAX_WAITING_BYTES = 16 * 2 ** 20;
/** A disk that takes longer loses lines rather than delaying the exit. */
const CLOSING_MS = 2000;
/** Lines have addresses of clients and names of keys. */
const MODE = 0o640;

/**
 * Opens a file for appending. Requests never wait for it; when it cannot be written, the log says so once until
 * it can be written again.
 * @param logger of the daemon
 * @throws {StartupError} if the file cannot be opened
 */
export async function openAccessLogFile(path: string, logger: Logger): Promise<AccessLogFile> {
  await assertWritable(path);
  const file = pino.destination({
    dest: path,
    sync: false,
    mode: MODE,
    maxLength: MAX_WAITING_BYTES,
  });
  await once(file, "ready");
  let reopened: Promise<unknown> = Promise.resolve();
  let state: "writing" | "failing" = "writing";
  const onTrouble = (reason: string) => {
    if (state === "writing") logger.error({ reason }, `--access-log ${path}: lines are lost`);
    state = "failing";
  };
  file.on("error", (error) => onTrouble(reasonOf(error)));
  file.on("drop", () => onTrouble("the disk is too slow"));
  file.on("write", () => {
    state = "writing";
  });
  return {
    lines: pino({ level: "info", base: null }, file),
    reopen: () => {
      reopened = once(file, "ready").catch(() => undefined);
      file.reopen();
    },
    close: async () => {
      const closed = once(file, "close", { signal: AbortSignal.timeout(CLOSING_MS) });
      // A destination that ends while it is to be opened anew after a write would never close.
      void reopened.then(() => file.end());
      await closed.catch(() => undefined);
    },
  };
}

/** Asked before pino, whose destination fails once more at the exit of the process if it could not be opened. */
async function assertWritable(path: string): Promise<void> {
  try {
    const handle = await open(path, "a", MODE);
    await handle.close();
  } catch (error) {
    throw new StartupError(`--access-log ${path}: cannot be opened: ${reasonOf(error)}`, error);
  }
}
