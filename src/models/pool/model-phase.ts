import type { GgufdError } from "../../core/errors.js";
import type { ModelState, RestartObstacle } from "../../core/model-directory.js";

/** When a failed load may be tried again: at once, or after some time. */
export type LoadRetry = "at-once" | "later";

/** Reason why a model could not be loaded. */
export interface LoadFailure {
  readonly error: GgufdError;
  /** Time of the failure on the pool's clock; `undefined`: the load may be tried again at once. */
  readonly atMs: number | undefined;
}

/** Phase of a model's life in memory, with the instance while it is loaded. */
export type Phase<Instance> =
  /** `failure`: of the last attempt. */
  | { readonly state: "absent"; readonly failure?: LoadFailure }
  | { readonly state: "loading"; progress: number; readonly abort: AbortController }
  | { readonly state: "loaded"; readonly model: Instance; leaving: UnloadPlan }
  | { readonly state: "closing" };

/**
 * Plan to unload a loaded model. `if-needed`: revoked if the requests for another model, which
 * needs the memory, leave. `surely`: never revoked.
 */
export type UnloadPlan = "no" | "if-needed" | "surely";

/**
 * Returns the state of a model for clients.
 * @param obstacle why a crashed process has not been replaced yet; `undefined`: it has not crashed
 */
export function toModelState(
  phase: Phase<unknown>,
  obstacle: RestartObstacle | undefined,
): ModelState {
  switch (phase.state) {
    case "absent":
      return { state: "absent" };
    case "loading":
      return { state: "loading", progress: phase.progress };
    case "closing":
      return { state: "unloading" };
    case "loaded":
      if (phase.leaving !== "no") return { state: "unloading" };
      return obstacle === undefined ? { state: "ready" } : { state: "lost", ...obstacle };
  }
}
