/** What a generation was doing when the engine was lost. */
export interface LostGeneration {
  /** Engines in a row that were lost while it was in them, this one included. */
  readonly losses: number;
  /** `cut`: its client has a part of the answer, and would not have it go on. */
  readonly answer: "unseen" | "resumable" | "cut";
}

/** `again`: from where its answer is. `alone`: the same, and nothing else is in the engine then. */
export type AfterLoss = "again" | "alone" | "ended" | "refused";

/**
 * Losses in a row after which a request counts as their cause. All that were in the engine are suspects; at
 * the last try each is alone, so that only the culprit is there at one loss more.
 */
export const MAX_LOSSES = 3;

/** Decides what becomes of a generation whose engine was lost. */
export function afterLoss({ losses, answer }: LostGeneration): AfterLoss {
  if (losses >= MAX_LOSSES) return "refused";
  if (answer === "cut") return "ended";
  return losses === MAX_LOSSES - 1 ? "alone" : "again";
}
