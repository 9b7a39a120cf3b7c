import type { EngineDescription } from "../core/engine.js";
import type { EngineStatistics } from "../core/engine-statistics.js";
import type { GenerationEvent } from "../core/generation-event.js";
import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import type { ErrorRecord } from "./error-record.js";
import type { ModelCommand, ModelReport } from "./model-protocol.js";

/** Asks a process to prepare a prompt. */
export interface PrepareCall {
  readonly type: "prepare";
  readonly callId: number;
  readonly request: GenerationRequest;
}

/** The answer to a {@link PrepareCall}. */
export type PrepareAnswer =
  | { readonly type: "prepared"; readonly callId: number; readonly prepared: PreparedGeneration }
  | { readonly type: "not-prepared"; readonly callId: number; readonly error: ErrorRecord };

/** Asks a process about texts. */
export interface AskCall {
  readonly type: "ask";
  readonly callId: number;
  readonly question: TextQuestion;
}

/** The answer to an {@link AskCall}. */
export type AskAnswer =
  | { readonly type: "answered"; readonly callId: number; readonly answer: TextAnswer }
  | { readonly type: "not-answered"; readonly callId: number; readonly error: ErrorRecord };

/** What an engine's process is told, once its model is loaded. */
export type EngineCommand =
  | PrepareCall
  | AskCall
  | { readonly type: "start"; readonly prepared: PreparedGeneration }
  | { readonly type: "cancel"; readonly id: string };

/** Messages from the daemon to its engine process. */
export type ToEngine = ModelCommand<EngineSettings> | EngineCommand;

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

/** What comes of commands to an engine's process. */
export type EngineAnswer =
  | PrepareAnswer
  | AskAnswer
  /** All events of one engine step, in order. */
  | { readonly type: "events"; readonly events: readonly GenerationRecord[] }
  /** At most once a second, after something has changed. */
  | { readonly type: "statistics"; readonly statistics: EngineStatistics };

/** Messages from the engine process to the daemon. */
export type FromEngine = ModelReport<EngineDescription> | EngineAnswer;
