import assert from "node:assert/strict";
import type { ChoiceEvent, ScoredToken, TokenScore } from "../../core/generation-event.js";
import type { ToolCall } from "../../core/generation-request.js";
import { LazyList, oneLine, printWritten, writtenObject } from "../../core/json.js";
import type { FinishedEvent } from "../answers/collected-answer.js";
import { collectAnswer } from "../answers/collected-answer.js";
import type {
  ChatResponse,
  GenerateResponse,
  Logprobs,
  PrintedToolCall,
  ResponseFrame,
} from "./response-schema.js";
import type { ModelChange } from "./translate.js";

/** A frame whose log-probabilities are serialised one by one. */
interface WholeFrame extends Omit<ResponseFrame, "logprobs"> {
  readonly logprobs?: ReturnType<typeof toLazyLogprobs>;
}

/**
 * Collects a generation into one answer.
 * @returns `undefined` when the client disconnected
 * @throws {GgufdError} the error that ended the generation
 */
export async function toWholeAnswer<Fields extends object>(
  events: AsyncIterable<ChoiceEvent>,
  origin: AnswerOrigin,
  toFields: ToFields<Fields>,
): Promise<(WholeFrame & Fields) | undefined> {
  const whole = await collectAnswer(events);
  if (whole === undefined) return undefined;
  const { text, reasoning, calls, scores } = whole.answer;
  return {
    ...endFrame(origin, whole.finished),
    ...toFields({ text, reasoning, calls }),
    ...(scores && { logprobs: toLazyLogprobs(scores) }),
  };
}

/** The content of a line, or of a whole answer. */
export interface AnswerContent {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ToolCall[];
}

/** Puts content in the fields of a route's answers. */
export type ToFields<Fields extends object> = (content: AnswerContent) => Fields;

export type ChatFields = Pick<ChatResponse, "message">;
export type GenerateFields = Pick<GenerateResponse, "response" | "thinking">;

/** Content in the fields of `/api/chat`. */
export function toChatFields({ text = "", reasoning, calls = [] }: AnswerContent): ChatFields {
  const toolCalls = calls.flatMap(toToolCall);
  return {
    message: {
      role: "assistant",
      content: text,
      ...(reasoning && { thinking: reasoning }),
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    },
  };
}

/** Content in the fields of `/api/generate`, which has no tools. */
export function toGenerateFields({ text = "", reasoning }: AnswerContent): GenerateFields {
  return { response: text, ...(reasoning && { thinking: reasoning }) };
}

/**
 * Ollama's calls have their arguments as an object. A call that the token limit cut off has none, and is
 * left out: no client should run a call with incomplete arguments.
 */
function toToolCall({ id, name, arguments: text }: ToolCall): PrintedToolCall[] {
  const written = writtenObject(text);
  return written === undefined ? [] : [{ id, function: { name, arguments: written } }];
}

/** The model of an answer, and the clocks of its times. */
export interface AnswerOrigin {
  /** The name of the served model. */
  readonly model: string;
  readonly now: () => Date;
  /** Milliseconds since the request arrived. */
  readonly elapsedMs: () => number;
  /** Those of them in which it waited for its model to be loaded. */
  readonly loadMs: number;
}

/** The fields of a line beside its content. */
export function pieceFrame({ model, now }: AnswerOrigin): ResponseFrame {
  return { model, created_at: now().toISOString(), done: false };
}

/** The fields of the last line, or of a whole answer, beside its content. */
export function endFrame(
  origin: AnswerOrigin,
  { reason, usage, timings }: FinishedEvent,
): ResponseFrame {
  return {
    ...pieceFrame(origin),
    done: true,
    done_reason: reason === "length" ? "length" : "stop",
    ...durationsOf(origin),
    prompt_eval_count: usage.promptTokens,
    prompt_eval_duration: toNanoseconds(timings.prefillMs),
    eval_count: usage.completionTokens,
    eval_duration: toNanoseconds(timings.decodeMs),
  };
}

/** The fields of the answer to a request without a prompt. */
export function changeFrame(origin: AnswerOrigin, change: ModelChange): ResponseFrame {
  return { ...pieceFrame(origin), done: true, done_reason: change, ...durationsOf(origin) };
}

function durationsOf({ elapsedMs, loadMs }: AnswerOrigin) {
  return { total_duration: toNanoseconds(elapsedMs()), load_duration: toNanoseconds(loadMs) };
}

/** Milliseconds in Ollama's unit, nanoseconds. */
export function toNanoseconds(milliseconds: number): number {
  assert(Number.isFinite(milliseconds));
  return Math.max(0, Math.round(milliseconds * 1e6));
}

/** Ollama's `logprobs` of the tokens of a line. */
export function toLogprobs(scores: readonly TokenScore[]): Logprobs {
  return scores.map(toTokenLogprob);
}

/** The `logprobs` of a whole answer, which may have many tokens. */
function toLazyLogprobs(scores: readonly TokenScore[]): LazyList<Logprobs[number]> {
  return LazyList.from(scores, toTokenLogprob);
}

function toTokenLogprob(score: TokenScore): Logprobs[number] {
  return {
    ...toToken(score),
    ...(score.top.length > 0 && { top_logprobs: score.top.map(toToken) }),
  };
}

/** In place of -Infinity, which JSON does not have: of tokens that sampling parameters forced upon the model. */
const LEAST_LOGPROB = -9999;

function toToken({ bytes, logProbability }: ScoredToken) {
  return {
    token: Buffer.from(bytes).toString(),
    logprob: Math.max(logProbability, LEAST_LOGPROB),
    bytes: [...bytes],
  };
}

/** Serialises a value as JSON in one line. Arguments of calls keep the text that the model wrote. */
export function printJson(value: unknown): string {
  return oneLine(printWritten(value));
}
