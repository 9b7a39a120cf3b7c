import { type Logger, pino } from "pino";

export type LogLevel = "silent" | "error" | "warn" | "info" | "debug";

/**
 * Creates a logger that writes JSON lines to standard error; standard output is reserved for
 * human-readable output.
 */
export function createLogger(level: LogLevel): Logger {
  return pino(
    { level, base: null, redact: ["req.headers.authorization", 'req.headers["x-api-key"]'] },
    pino.destination(2),
  );
}
