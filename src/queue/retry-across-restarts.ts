import { MAX_CRASHES } from "../core/crash-blame.js";
import type { Engine } from "../core/engine.js";
import { GgufdError, isEngineExit } from "../core/errors.js";
import type { EngineAccess, EngineGate } from "./engine-gate.js";

export interface RetryOptions<Result> {
  /**
   * The work to do in the engine.
   * @throws {GgufdError} `model_unavailable` when the engine exits
   */
  readonly attempt: () => Promise<Result>;
  readonly gate: EngineGate;
  /**
   * How a suspect's last try runs alone. `gate`: no other request enters the engine. `engine`: the
   * engine gives it a replica that runs nothing else, and the gate admits other requests.
   */
  readonly isolation: SuspectIsolation;
  /** Aborted when the result is no longer wanted. */
  readonly signal: AbortSignal;
  /** How much of the answer the client has received. */
  readonly answer: () => InterruptedWork["answer"];
  /** The work entered the engine, for the first time or again. */
  readonly onEntered: () => void;
  /** The engine exited, and the work waits for the next one. */
  readonly onCrash: () => void;
  /**
   * The work is refused: the engine exited `crashes` times in a row while processing it, so it is
   * assumed to be the cause.
   */
  readonly onRefused: (crashes: number) => void;
}

/**
 * Runs work in the engine, and runs it again if the engine exits meanwhile: in another replica at
 * once if one is running, else in the next engine.
 * @throws the signal's reason if it is aborted outside the engine; `crashes_engine`; any error of
 *   the attempt
 */
export async function retryAcrossRestarts<Result>(options: RetryOptions<Result>): Promise<Result> {
  const { attempt, gate, isolation, signal, answer, onEntered, onCrash, onRefused } = options;
  let access: EngineAccess = "shared";
  for (let crashes = 1; ; crashes++) {
    const leave = gate.tryEnter(access) ?? (await gate.enter(access, signal));
    const { crashes: crashesBefore } = gate;
    try {
      // The signal may have been aborted between the gate and here.
      signal.throwIfAborted();
      onEntered();
      return await attempt();
    } catch (error) {
      // Without a crash the engine is running: another attempt would fail the same way.
      if (!isEngineExit(error) || gate.crashes === crashesBefore) throw error;
      signal.throwIfAborted();
      const next = decideAfterExit({ crashes, answer: answer() });
      if (next === "ended") throw error;
      if (next === "refused") {
        onRefused(crashes);
        throw createCrashError(crashes);
      }
      access = next === "alone" && isolation === "gate" ? "exclusive" : "shared";
    } finally {
      leave();
    }
    onCrash();
  }
}

/** See {@link RetryOptions.isolation}. */
export type SuspectIsolation = "gate" | "engine";

/** An engine with replicas isolates suspects itself. */
export function isolationIn({ replicas }: Pick<Engine, "replicas">): SuspectIsolation {
  return replicas === undefined ? "gate" : "engine";
}

/** Error of a request that was in the engine when it crashed `crashes` times in a row. */
function createCrashError(crashes: number): GgufdError {
  return new GgufdError(
    "crashes_engine",
    `The model's process ended ${crashes} times in a row while processing this request; it is not retried.`,
  );
}

/** State of a generation when its engine exited. */
export interface InterruptedWork {
  /** Consecutive engine exits while the generation was in the engine, including this one. */
  readonly crashes: number;
  /**
   * `unseen`: the client has received nothing. `resumable`: it has a part, and the answer may
   * continue. `cut`: it has a part and does not want the answer resumed.
   */
  readonly answer: "unseen" | "resumable" | "cut";
}

/**
 * `again`: resume the answer. `alone`: resume it with no other request in the engine. `ended`: fail
 * with the error of the exit. `refused`: fail with `crashes_engine`.
 */
export type ExitDecision = "again" | "alone" | "ended" | "refused";

/** Decides how a generation continues after its engine exited. */
export function decideAfterExit({ crashes, answer }: InterruptedWork): ExitDecision {
  if (crashes >= MAX_CRASHES) return "refused";
  if (answer === "cut") return "ended";
  return crashes === MAX_CRASHES - 1 ? "alone" : "again";
}
