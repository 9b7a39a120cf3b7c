import type { Logger } from "pino";

/** An unreachable collector fails every few seconds. */
const REPEATED_AFTER_MS = 60_000;

/**
 * Logs what OpenTelemetry's SDK complains about, once a minute at most.
 * @param nowMs a monotonic clock
 * @returns a function that takes a complaint
 */
export function collectorWarnings(
  logger: Logger,
  nowMs: () => number = () => performance.now(),
): (message: string) => void {
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  return (message) => {
    if (nowMs() - loggedAtMs < REPEATED_AFTER_MS) return;
    loggedAtMs = nowMs();
    logger.warn({ reason: reasonIn(message) }, "traces are not sent as they should be");
  };
}

/** Errors come as JSON, with their stack. */
function reasonIn(message: string): string {
  try {
    const error: unknown = JSON.parse(message);
    if (typeof error === "object" && error !== null && "message" in error) {
      return String(error.message);
    }
  } catch {
    // Not an error, but a text.
  }
  return message;
}
