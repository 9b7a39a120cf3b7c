const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * A time in the form of OpenAI's `x-ratelimit-reset-…`: `120ms`, `12s`, `6m0s`, `1h0m0s`. It is rounded up:
 * afterwards it has passed.
 * @param ms at least 0
 */
export function printDuration(ms: number): string {
  const wholeMs = Math.ceil(ms);
  if (wholeMs > 0 && wholeMs < SECOND_MS) return `${wholeMs}ms`;
  const seconds = Math.ceil(ms / SECOND_MS);
  const hours = Math.floor((seconds * SECOND_MS) / HOUR_MS);
  const minutes = Math.floor((seconds * SECOND_MS) / MINUTE_MS);
  if (hours > 0) return `${hours}h${minutes % 60}m${seconds % 60}s`;
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`;
}
