import type { EngineDescription } from "../core/engine.js";
import type { GenerationEvent } from "../core/generation-event.js";
import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import type { ErrorRecord } from "./error-record.js";

/** What the daemon tells its engine process. Everything here survives a structured clone. */
export type ToEngine =
  | { readonly type: "load"; readonly settings: EngineSettings }
  | { readonly type: "prepare"; readonly call: number; readonly request: GenerationRequest }
  | { readonly type: "start"; readonly prepared: PreparedGeneration }
  | { readonly type: "cancel"; readonly id: string }
  | { readonly type: "close" };

/** A generation event whose error has become plain data. */
export type EventRecord =
  | Exclude<GenerationEvent, { type: "failed" }>
  | { readonly type: "failed"; readonly error: ErrorRecord };

/** What the engine process tells the daemon. */
export type FromEngine =
  | { readonly type: "progress" /** 0–1 */; readonly progress: number }
  | { readonly type: "loaded"; readonly description: EngineDescription }
  | { readonly type: "not-loaded"; readonly reason: string }
  | { readonly type: "prepared"; readonly call: number; readonly prepared: PreparedGeneration }
  | { readonly type: "not-prepared"; readonly call: number; readonly error: ErrorRecord }
  /** All that one step of the engine had to say, in order, each with its generation's id. */
  | { readonly type: "events"; readonly events: readonly (readonly [string, EventRecord])[] }
  | {
      readonly type: "log";
      readonly level: "error" | "warn" | "debug";
      readonly message: string;
    }
  | { readonly type: "closed" };
