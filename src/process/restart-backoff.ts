const INITIAL_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;

/**
 * Exponential backoff before an engine is restarted, in milliseconds: an immediate restart would
 * keep reloading a model that crashes repeatedly.
 * @param consecutiveLosses from 1
 */
export function restartBackoffMs(consecutiveLosses: number): number {
  return Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** (consecutiveLosses - 1));
}
