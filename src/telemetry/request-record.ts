import type { ErrorCode } from "../core/errors.js";
import type { FinishReason, GenerationEvent, TokenUsage } from "../core/generation-event.js";
import type { MediaAmount } from "../core/media.js";
import type { GenerationStage, RequestBeginning, RequestEnd } from "../core/request-observer.js";
import { sumBy } from "../core/sum-by.js";

/** How an answer ended. */
export type AnswerEnding =
  | { readonly type: "finished"; readonly reason: FinishReason }
  | { readonly type: "pooled" }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly code: ErrorCode };

/** Record of one answer of a request. Times are in milliseconds since the request began. */
export interface AnswerRecord {
  readonly model: string;
  /** Name of the API key; absent: the server has no keys. */
  readonly keyName?: string;
  /** Names of the chosen LoRA adapters; absent: none. */
  readonly adapters?: readonly string[];
  /** Media of the prompt; absent: none, or the answer shares the prompt of the previous one. */
  readonly media?: MediaAmount;
  /** 0 if the answer shares the prompt of the previous one. */
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly waitingAtMs: number;
  /** Absent: the answer never left the queue. */
  readonly runningAtMs?: number;
  /** Absent: nothing was generated. */
  readonly firstOutputAtMs?: number;
  readonly endedAtMs: number;
  /** Time in the engine, without the time between two engines. Includes suspensions. */
  readonly engineMs: number;
  readonly ending: AnswerEnding;
}

/** Record of a request that has ended. */
export interface RequestRecord {
  readonly beginning: RequestBeginning;
  readonly end: RequestEnd;
  /** Start of the request, in milliseconds since the Unix epoch. */
  readonly beganAtEpochMs: number;
  /** Id of the client's trace, or of one that begins with the request. */
  readonly traceId?: string;
  /** Answers in the order of the choices; empty: nothing was generated or pooled. */
  readonly answers: readonly AnswerRecord[];
}

export type WaitingStage = Extract<GenerationStage, { type: "waiting" }>;

const NO_TOKENS: TokenUsage = {
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
};

/** Builds the record of one answer from its stages. */
export class AnswerRecorder {
  readonly #waitingStage: WaitingStage;
  readonly #waitingAtMs: number;
  #runningAtMs: number | undefined;
  #firstOutputAtMs: number | undefined;
  #engineMs = 0;
  /** Absent: the answer is not in the engine. */
  #enteredAtMs: number | undefined;
  #usage: TokenUsage;
  #recordedEnd: { readonly atMs: number; readonly ending: AnswerEnding } | undefined;

  constructor(waitingStage: WaitingStage, nowMs: number) {
    this.#waitingStage = waitingStage;
    this.#waitingAtMs = nowMs;
    this.#usage = { ...NO_TOKENS, promptTokens: waitingStage.promptTokens };
  }

  get hasEnded(): boolean {
    return this.#recordedEnd !== undefined;
  }

  observe(stage: Exclude<GenerationStage, WaitingStage>, nowMs: number): void {
    switch (stage.type) {
      case "running":
        this.#runningAtMs ??= nowMs;
        this.#enteredAtMs = nowMs;
        break;
      case "paused":
        this.#leaveEngine(nowMs);
        break;
      case "event":
        this.#add(stage.event, nowMs);
        break;
      case "pooled":
        this.#usage = { ...NO_TOKENS, promptTokens: stage.promptTokens };
        this.#end({ type: "pooled" }, nowMs);
    }
  }

  /** @param nowMs end time of an answer that its client cancelled by disconnecting */
  recordAt(nowMs: number): AnswerRecord {
    const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = this.#usage;
    const { model, keyName, adapters, media, sharesPrompt = false } = this.#waitingStage;
    this.#leaveEngine(nowMs);
    const { atMs, ending } = this.#recordedEnd ?? { atMs: nowMs, ending: { type: "cancelled" } };
    return {
      model,
      ...(keyName !== undefined && { keyName }),
      ...(adapters !== undefined && { adapters }),
      ...(media !== undefined && !sharesPrompt && { media }),
      promptTokens: sharesPrompt ? 0 : promptTokens,
      cachedTokens: sharesPrompt ? 0 : cachedTokens,
      completionTokens,
      reasoningTokens,
      waitingAtMs: this.#waitingAtMs,
      ...(this.#runningAtMs !== undefined && { runningAtMs: this.#runningAtMs }),
      ...(this.#firstOutputAtMs !== undefined && { firstOutputAtMs: this.#firstOutputAtMs }),
      endedAtMs: atMs,
      engineMs: this.#engineMs,
      ending,
    };
  }

  #add(event: GenerationEvent, nowMs: number): void {
    if ("usage" in event) this.#usage = event.usage;
    if (this.#usage.completionTokens > 0) this.#firstOutputAtMs ??= nowMs;
    switch (event.type) {
      case "finished":
        this.#end({ type: "finished", reason: event.reason }, nowMs);
        break;
      case "cancelled":
        this.#end({ type: "cancelled" }, nowMs);
        break;
      case "failed":
        this.#end({ type: "failed", code: event.error.code }, nowMs);
    }
  }

  #end(ending: AnswerEnding, nowMs: number): void {
    this.#leaveEngine(nowMs);
    this.#recordedEnd ??= { atMs: nowMs, ending };
  }

  #leaveEngine(nowMs: number): void {
    if (this.#enteredAtMs !== undefined) this.#engineMs += nowMs - this.#enteredAtMs;
    this.#enteredAtMs = undefined;
  }
}

/** Totals over all answers of a request. */
export interface AnswerTotals {
  readonly model: string;
  readonly answers: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  /** Time in the queue, until the first answer got a slot. */
  readonly queueMs: number;
  /**
   * From the start of the request to the first token of any answer; absent: no token was generated.
   */
  readonly ttftMs?: number;
  /** Distinct finish reasons, in OpenAI's terms where these exist. Pooled inputs have none. */
  readonly finishReasons: readonly string[];
}

/** @returns `undefined` if nothing was generated or pooled */
export function computeTotals(answers: readonly AnswerRecord[]): AnswerTotals | undefined {
  const [first] = answers;
  if (first === undefined) return undefined;
  const ttftMs = Math.min(...answers.map((answer) => answer.firstOutputAtMs ?? Infinity));
  return {
    model: first.model,
    answers: answers.length,
    promptTokens: sumBy(answers, (answer) => answer.promptTokens),
    cachedTokens: sumBy(answers, (answer) => answer.cachedTokens),
    completionTokens: sumBy(answers, (answer) => answer.completionTokens),
    reasoningTokens: sumBy(answers, (answer) => answer.reasoningTokens),
    queueMs: computeQueueMs(answers),
    ...(ttftMs < Infinity && { ttftMs }),
    finishReasons: [...new Set(answers.flatMap(({ ending }) => finishReasonOf(ending)))],
  };
}

/** The error code of the request, or else of its first failed answer. */
export function errorCodeOf({ end, answers }: RequestRecord): ErrorCode | undefined {
  if (end.errorCode !== undefined) return end.errorCode;
  for (const { ending } of answers) if (ending.type === "failed") return ending.code;
  return undefined;
}

/** Answers that never left the queue count as waiting until their end. */
function computeQueueMs(answers: readonly AnswerRecord[]): number {
  const leftQueueAtMs = answers.map(({ runningAtMs, endedAtMs }) => runningAtMs ?? endedAtMs);
  return Math.min(...leftQueueAtMs) - Math.min(...answers.map((answer) => answer.waitingAtMs));
}

/** The finish reason of an answer, in OpenAI's terms where these exist; pooled inputs have none. */
export function finishReasonOf(ending: AnswerEnding): readonly string[] {
  switch (ending.type) {
    case "finished":
      return [ending.reason === "tool-calls" ? "tool_calls" : ending.reason];
    case "cancelled":
      return ["cancelled"];
    case "failed":
      return ["error"];
    case "pooled":
      return [];
  }
}
