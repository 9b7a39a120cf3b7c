import type { Engine, EngineDescription } from "../core/engine.js";
import type { EngineStatistics } from "../core/engine-statistics.js";
import type { GenerationEvent } from "../core/generation-event.js";
import type { PreparedGeneration } from "../core/generation-request.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import type { ErrorRecord } from "./error-record.js";
import type { ModelCommand, ModelReport } from "./model-protocol.js";

/** What an engine's process can be asked and told, once its model is loaded. */
export interface EngineMethods
  extends Pick<Engine, "prepare" | "ask" | "slots" | "command" | "cancel"> {
  /** Its events come with others' of the same step. */
  start(prepared: PreparedGeneration): void;
}

/** Messages from the daemon to its engine process. */
export type ToEngine = ModelCommand<EngineSettings>;

/** A generation event with its error as plain data. */
export type EventRecord =
  | Exclude<GenerationEvent, { type: "failed" }>
  | { readonly type: "failed"; readonly error: ErrorRecord };

/** An event, and the tokens that were generated since the event before. */
export type GenerationRecord = readonly [
  generationId: string,
  event: EventRecord,
  tokens?: readonly number[],
];

/** What an engine's process sends unasked. */
export type EngineNotification =
  /** All events of one engine step, in order. */
  | { readonly type: "events"; readonly events: readonly GenerationRecord[] }
  /** At most once a second, after something has changed. */
  | { readonly type: "statistics"; readonly statistics: EngineStatistics };

/** Messages from the engine process to the daemon. */
export type FromEngine = ModelReport<EngineDescription> | EngineNotification;
