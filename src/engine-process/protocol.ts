import type { EngineDescription } from "../core/engine.js";
import type { EngineStatistics } from "../core/engine-statistics.js";
import type { GenerationEvent } from "../core/generation-event.js";
import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import type { EngineSlot, SlotCommand, SlotOutcome } from "../core/slot-command.js";
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

/** Asks an engine's process what its slots hold. */
export interface SlotsCall {
  readonly type: "slots";
  readonly callId: number;
}

/** Has an engine's process save, restore or empty a slot. */
export interface SlotCommandCall {
  readonly type: "command";
  readonly callId: number;
  readonly command: SlotCommand;
}

/** The answer to a {@link SlotsCall} or a {@link SlotCommandCall}. */
export type SlotCallAnswer =
  | {
      readonly type: "slots-listed";
      readonly callId: number;
      readonly slots: readonly EngineSlot[];
    }
  | { readonly type: "commanded"; readonly callId: number; readonly outcome: SlotOutcome }
  | { readonly type: "not-commanded"; readonly callId: number; readonly error: ErrorRecord };

/** What an engine's process is told, once its model is loaded. */
export type EngineCommand =
  | PrepareCall
  | AskCall
  | SlotsCall
  | SlotCommandCall
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
  | SlotCallAnswer
  /** All events of one engine step, in order. */
  | { readonly type: "events"; readonly events: readonly GenerationRecord[] }
  /** At most once a second, after something has changed. */
  | { readonly type: "statistics"; readonly statistics: EngineStatistics };

/** Messages from the engine process to the daemon. */
export type FromEngine = ModelReport<EngineDescription> | EngineAnswer;
