import assert from "node:assert/strict";
import type { Lease } from "../cache/sequence-records.js";
import type { AdapterTurns } from "./adapter-turns.js";
import type { RunningGeneration } from "./running-generation.js";
import type { StepPlanner } from "./step-planner.js";

/** A generation that takes part in a step with `tokens` tokens of its text. */
export interface PlannedShare {
  readonly generation: RunningGeneration;
  readonly tokens: number;
}

export interface SharePlanning {
  /** Returns the number of tokens until the state of a sequence is to be saved. */
  readonly tokensToCheckpoint: (lease: Lease) => number;
  readonly adapterTurns: Pick<AdapterTurns, "next">;
  readonly planner: Pick<StepPlanner, "plan">;
  /** Time at which the step begins, in milliseconds on a monotonic clock. */
  readonly nowMs: number;
}

/**
 * Selects the generations of a step, and the number of tokens of each. One step uses one adapter set. A generation whose
 * next cells are media takes no part: media are evaluated between steps. A share ends where the sequence is to be saved,
 * where the adapters begin to apply, and before media.
 */
export function planShares(
  running: readonly RunningGeneration[],
  { tokensToCheckpoint, adapterTurns, planner, nowMs }: SharePlanning,
): readonly PlannedShare[] {
  const all = running
    .filter(({ tokensToMedia }) => tokensToMedia > 0)
    .map((generation) => {
      const { lease, uncomputedTokens, awaitedToken, admissionOrder, promptScores } = generation;
      const { tokensToAdapters, tokensToMedia } = generation;
      return {
        generation,
        adapters: generation.adapters.key,
        sequenceId: lease.sequenceId,
        uncomputedTokens,
        awaitedToken,
        tokensToPause: Math.min(tokensToCheckpoint(lease), tokensToAdapters, tokensToMedia),
        admissionOrder,
        promptLogits: promptScores && ("all" as const),
      };
    });
  const candidates = adapterTurns.next(all, nowMs);
  const candidateGenerations = new Map(candidates.map((one) => [one.sequenceId, one.generation]));
  const decodingElsewhere = all.filter(
    ({ sequenceId, awaitedToken }) =>
      awaitedToken === "next" && !candidateGenerations.has(sequenceId),
  ).length;
  return planner.plan(candidates, decodingElsewhere).map(({ sequenceId, tokens }) => {
    const generation = candidateGenerations.get(sequenceId);
    assert(generation !== undefined, `no generation runs in the planned sequence ${sequenceId}`);
    return { generation, tokens };
  });
}
