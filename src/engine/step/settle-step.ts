import { toClientError } from "../../core/errors.js";
import type { RunningGeneration } from "./running-generation.js";

/** Generations of a step, each with the reason why it ends, judged by its tokens alone; `undefined`: it continues. */
export type TokenEndings = ReadonlyMap<RunningGeneration, "stop" | "length" | undefined>;

/**
 * A generation ended by its text, and whether its KV cache state can be reused (`sound`) or must be discarded
 * (`doubtful`).
 */
export interface LateEnding {
  readonly generation: RunningGeneration;
  readonly state: "sound" | "doubtful";
}

/**
 * Emits the text of a step, and the last events of the generations that have ended. Uses no native resource but
 * samplers, so it may run while a batch is evaluated.
 * @param onFailure receives the errors; each error has ended its generation
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
