import { GgufdError } from "../core/errors.js";
import { afterLoss, type LostGeneration } from "./after-loss.js";
import { crashesEngine } from "./crashes-engine.js";
import type { Company, EngineGate } from "./engine-gate.js";

/** What is done in the engine, and what becomes of it meanwhile. */
export interface EngineStay<Result> {
  /** @throws {GgufdError} `model_unavailable` when the engine is lost */
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
 * @throws the signal's reason when it is aborted outside the engine; {@link crashesEngine}; whatever the attempt throws
 */
export async function untilNotLost<Result>(stay: EngineStay<Result>): Promise<Result> {
  const { attempt, gate, signal, answer, onEntered, onLost, onRefused } = stay;
  let company: Company = "together";
  for (let losses = 1; ; losses++) {
    const leave = gate.tryEnter(company) ?? (await gate.enter(company, signal));
    try {
      // It may have been aborted on its way from the gate.
      signal.throwIfAborted();
      onEntered();
      return await attempt();
    } catch (error) {
      // While the gate is open the engine is there: nothing would be another time.
      if (!isLoss(error) || gate.isOpen) throw error;
      signal.throwIfAborted();
      const next = afterLoss({ losses, answer: answer() });
      if (next === "ended") throw error;
      if (next === "refused") {
        onRefused(losses);
        throw crashesEngine(losses);
      }
      company = next === "alone" ? "alone" : "together";
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
