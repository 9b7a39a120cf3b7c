const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * Milliseconds to wait before an engine that was lost is started again: at once would load a model
 * that crashes over and over.
 * @param losses how often in a row it was lost, from 1
 */
export function restartDelay(losses: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (losses - 1));
}
