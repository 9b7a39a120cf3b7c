import { GgufdError } from "../core/errors.js";
import type { EngineAccess, EngineGate } from "./engine-gate.js";

export interface RetryOptions<Result> {
  /**
   * What is done in the engine.
   * @throws {GgufdError} `model_unavailable` when the engine is lost
   */
  readonly attempt: () => Promise<Result>;
  readonly gate: EngineGate;
  /** Aborted when it is no longer wanted. */
  readonly signal: AbortSignal;
  /** What of it has been passed on. */
  readonly answer: () => LostGeneration["answer"];
  /** It is in the engine, for the first time or again. */
  readonly onEntered: () => void;
  /** The engine was lost, and it waits for another one. */
  readonly onLost: () => void;
  /** It is taken for what has ended the engine so many times in a row. */
  readonly onRefused: (losses: number) => void;
}

/**
 * Does something in the engine; again in the next one, where the engine is lost meanwhile.
 * @throws the signal's reason when it is aborted outside the engine; `crashes_engine`; whatever the attempt throws
 */
export async function retryAcrossRestarts<Result>(options: RetryOptions<Result>): Promise<Result> {
  const { attempt, gate, signal, answer, onEntered, onLost, onRefused } = options;
  let access: EngineAccess = "shared";
  for (let losses = 1; ; losses++) {
    const leave = gate.tryEnter(access) ?? (await gate.enter(access, signal));
    try {
      // It may have been aborted on its way from the gate.
      signal.throwIfAborted();
      onEntered();
      return await attempt();
    } catch (error) {
      // While the gate is open the engine is running: another attempt would fail the same way.
      if (!isLoss(error) || gate.isOpen) throw error;
      signal.throwIfAborted();
      const next = afterLoss({ losses, answer: answer() });
      if (next === "ended") throw error;
      if (next === "refused") {
        onRefused(losses);
        throw crashesEngine(losses);
      }
      access = next === "alone" ? "exclusive" : "shared";
    } finally {
      leave();
    }
    onLost();
  }
}

/** Whether this is how everything ends that was in an engine when it was lost. */
export function isLoss(error: unknown): error is GgufdError {
  return error instanceof GgufdError && error.code === "model_unavailable";
}

/** The error of a request that was in so many engines in a row when they were lost. */
function crashesEngine(losses: number): GgufdError {
  return new GgufdError(
    "crashes_engine",
    `The model's process ended ${losses} times in a row while processing this request; it is not retried.`,
  );
}

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
