import { type AccessLine, accessLineOf } from "./access-line.js";
import type { RequestReporter } from "./record-requests.js";

/** What lines are written to: a logger, at level info. */
export interface AccessLogger {
  info(line: AccessLine, message: string): void;
}

/** Logs one line for each request. */
export function accessLog(logger: AccessLogger): RequestReporter {
  return { begin: () => ({ complete: (record) => logger.info(accessLineOf(record), "request") }) };
}
