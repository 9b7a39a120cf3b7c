/** Lines of one key for one model, as far as the choice between keys is concerned. */
export interface LaneState {
  readonly hasLines: boolean;
  /** Time before which no line starts: the model or the key refuses requests for now. */
  readonly pausedUntilMs: number;
  /** Virtual time at which the key's next line is due. */
  readonly due: number;
}

/**
 * Chooses the lane whose line runs next: among those with lines that are not paused, the one that
 * is due first. A lane's lines are due 1 / weight apart in virtual time, so that keys share a model
 * by weight, however many batches and lines each has.
 */
export function chooseLane<Lane extends LaneState>(
  lanes: Iterable<Lane>,
  nowMs: number,
): Lane | undefined {
  let chosen: Lane | undefined;
  for (const lane of lanes) {
    if (!lane.hasLines || lane.pausedUntilMs > nowMs) continue;
    if (chosen === undefined || lane.due < chosen.due) chosen = lane;
  }
  return chosen;
}

/** Time until a paused lane with lines may continue; `undefined`: none is paused. */
export function computeWaitMs(lanes: Iterable<LaneState>, nowMs: number): number | undefined {
  let wait: number | undefined;
  for (const { hasLines, pausedUntilMs } of lanes) {
    if (!hasLines || pausedUntilMs <= nowMs) continue;
    wait = Math.min(wait ?? Number.POSITIVE_INFINITY, pausedUntilMs - nowMs);
  }
  return wait;
}
