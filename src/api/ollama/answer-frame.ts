import type { FinishedEvent } from "../answers/collected-answer.js";
import type { ModelChange } from "./empty-request.js";
import type { ResponseFrame } from "./response-schema.js";

/** Where an answer comes from, and the clock of its times. */
export interface AnswerOrigin {
  /** The name of the served model. */
  readonly model: string;
  readonly now: () => Date;
  /** Since the request arrived, in milliseconds. */
  readonly elapsedMs: () => number;
}

/** The fields around a piece of an answer. */
export function pieceFrame({ model, now }: AnswerOrigin): ResponseFrame {
  return { model, created_at: now().toISOString(), done: false };
}

/** The fields around the last piece of an answer, or around the whole of it. */
export function endFrame(
  origin: AnswerOrigin,
  { reason, usage, timings }: FinishedEvent,
): ResponseFrame {
  return {
    ...pieceFrame(origin),
    done: true,
    done_reason: reason === "length" ? "length" : "stop",
    total_duration: toNanoseconds(origin.elapsedMs()),
    load_duration: 0,
    prompt_eval_count: usage.promptTokens,
    prompt_eval_duration: toNanoseconds(timings.prefillMs),
    eval_count: usage.completionTokens,
    eval_duration: toNanoseconds(timings.decodeMs),
  };
}

/** The fields of an answer to a request that has nothing to answer. */
export function changeFrame(origin: AnswerOrigin, change: ModelChange): ResponseFrame {
  return { ...pieceFrame(origin), done: true, done_reason: change };
}

/** A duration as Ollama states it. */
export function toNanoseconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds * 1e6));
}
