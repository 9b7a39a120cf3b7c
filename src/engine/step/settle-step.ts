import { toClientError } from "../../core/errors.js";
import type { RunningGeneration } from "./running-generation.js";

/** The generations of a step, with the reason why they end as far as their tokens tell. */
export type TokenEndings = ReadonlyMap<RunningGeneration, "stop" | "length" | undefined>;

/** A generation that its text has ended, and whether its state is to be trusted. */
export interface LateEnding {
  readonly generation: RunningGeneration;
  readonly state: "sound" | "doubtful";
}

/**
 * Emits the text of a step, and the last events of the generations that have ended. Touches nothing
 * native but samplers, so that it may run while a batch is evaluated.
 * @param onFailure receives errors; each has ended its generation
 */
export function settleStep(
  endings: TokenEndings,
  onFailure: (error: unknown) => void,
): readonly LateEnding[] {
  return [...endings].flatMap(([generation, ending]): LateEnding[] => {
    if (generation.hasEnded) return [];
    try {
      const reason = generation.settle() ?? ending;
      if (reason === undefined) return [];
      generation.finish(reason);
      return [{ generation, state: "sound" }];
    } catch (error) {
      onFailure(error);
      if (!generation.hasEnded) generation.end({ type: "failed", error: toClientError(error) });
      return [{ generation, state: "doubtful" }];
    }
  });
}
