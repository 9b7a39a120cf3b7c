import { type DestinationStream, type Logger, pino } from "pino";
import { type LogFile, openLogFile } from "./log-file.js";

export type LogLevel = "silent" | "error" | "warn" | "info" | "debug";

/** The log of the daemon. */
export interface OpenLog extends Omit<LogFile, "lines"> {
  readonly logger: Logger;
}

/** Not readable by other users: lines contain client addresses and paths. */
const MODE = 0o600;

/**
 * Creates a logger that writes JSON lines to standard error; standard output is reserved for
 * human-readable output.
 */
export function createLogger(level: LogLevel): Logger {
  return loggerTo(pino.destination(2), level);
}

/**
 * Opens the log of the daemon, on standard error and, with a path, also in a file. When the file
 * becomes unwritable, standard error has one line about it.
 * @param errors standard error
 * @throws {StartupError} if the file cannot be opened
 */
export async function openLog(
  level: LogLevel,
  path: string | undefined,
  errors: DestinationStream = pino.destination(2),
): Promise<OpenLog> {
  if (path === undefined) {
    const nothing = { reopen: () => undefined, close: async () => undefined };
    return { logger: loggerTo(errors, level), ...nothing };
  }
  const file = await openLogFile(path, {
    flag: "--log-file",
    mode: MODE,
    reportFailure: (reason) =>
      loggerTo(errors, level).error({ reason }, `--log-file ${path}: lines are lost`),
  });
  const lines: DestinationStream = {
    write(line) {
      errors.write(line);
      file.lines.write(line);
    },
  };
  return { logger: loggerTo(lines, level), reopen: file.reopen, close: file.close };
}

function loggerTo(destination: DestinationStream, level: LogLevel): Logger {
  return pino(
    { level, base: null, redact: ["req.headers.authorization", 'req.headers["x-api-key"]'] },
    destination,
  );
}
