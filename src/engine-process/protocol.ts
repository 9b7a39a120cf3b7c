import type { EngineDescription } from "../core/engine.js";
import type { GenerationEvent } from "../core/generation-event.js";
import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import type { ErrorRecord } from "./error-record.js";

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

/** Messages from the daemon to its engine process. All of them support structured cloning. */
export type ToEngine =
  | { readonly type: "load"; readonly settings: EngineSettings }
  | PrepareCall
  | AskCall
  | { readonly type: "start"; readonly prepared: PreparedGeneration }
  | { readonly type: "cancel"; readonly id: string }
  | { readonly type: "close" };

/** A generation event with its error as plain data. */
export type EventRecord =
  | Exclude<GenerationEvent, { type: "failed" }>
  | { readonly type: "failed"; readonly error: ErrorRecord };

/** Messages from the engine process to the daemon. */
export type FromEngine =
  /** A GPU computes everything: the process had better be started again with several native threads. */
  | { readonly type: "needs-threads" }
  | { readonly type: "progress" /** 0–1 */; readonly progress: number }
  | { readonly type: "loaded"; readonly description: EngineDescription }
  | { readonly type: "not-loaded"; readonly reason: string }
  | PrepareAnswer
  | AskAnswer
  /** All events of one engine step, in order. */
  | {
      readonly type: "events";
      readonly events: readonly (readonly [generationId: string, event: EventRecord])[];
    }
  | {
      readonly type: "log";
      readonly level: "error" | "warn" | "info" | "debug";
      readonly message: string;
    }
  | { readonly type: "closed" };
