import assert from "node:assert/strict";
import type { ChoiceEvent, ScoredToken, TokenScore } from "../../core/generation-event.js";
import type { ToolCall } from "../../core/generation-request.js";
import { escapeLineBreaks, LazyList, parseKeepingText, printJsonLine } from "../../core/json.js";
import type { FinishedEvent } from "../answers/collected-answer.js";
import { collectAnswer } from "../answers/collected-answer.js";
import { toLogprob } from "../fields/logprobs.js";
import type {
  ChatResponse,
  GenerateResponse,
  Logprobs,
  PrintedToolCall,
  ResponseFrame,
} from "./response-schema.js";
import type { ModelChange } from "./translate.js";

/** Frame whose log-probabilities are serialised one at a time. */
interface WholeFrame extends Omit<ResponseFrame, "logprobs"> {
  readonly logprobs?: ReturnType<typeof toLazyLogprobs>;
}

/**
 * Collects a generation into one answer.
 * @returns `undefined` if the client disconnected
 * @throws {GgufdError} the error that ended the generation
 */
export async function toWholeAnswer<Fields extends object>(
  events: AsyncIterable<ChoiceEvent>,
  origin: AnswerOrigin,
  toFields: ToFields<Fields>,
): Promise<(WholeFrame & Fields) | undefined> {
  const wholeAnswer = await collectAnswer(events);
  if (wholeAnswer === undefined) return undefined;
  const { text, reasoning, calls, scores } = wholeAnswer.answer;
  return {
    ...buildEndFrame(origin, wholeAnswer.finished),
    ...toFields({ text, reasoning, calls }),
    ...(scores && { logprobs: toLazyLogprobs(scores) }),
  };
}

/** Content of a line, or of a complete answer. */
export interface AnswerContent {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ToolCall[];
}

/** Converts content to the fields of a route's answers. */
export type ToFields<Fields extends object> = (content: AnswerContent) => Fields;

export type ChatFields = Pick<ChatResponse, "message">;
export type GenerateFields = Pick<GenerateResponse, "response" | "thinking">;

/** Converts content to the fields of `/api/chat`. */
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

/** Converts content to the fields of `/api/generate`, which has no tools. */
export function toGenerateFields({ text = "", reasoning }: AnswerContent): GenerateFields {
  return { response: text, ...(reasoning && { thinking: reasoning }) };
}

/**
 * Converts a call to Ollama's format, with its arguments as an object. A call that was cut off by
 * the token limit is left out, since no client should run a call with incomplete arguments.
 */
function toToolCall({ id, name, arguments: text }: ToolCall): PrintedToolCall[] {
  const argumentsObject = parseKeepingText(text);
  return argumentsObject === undefined
    ? []
    : [{ id, function: { name, arguments: argumentsObject } }];
}

/** Model of an answer, and the clocks for its timestamps and durations. */
export interface AnswerOrigin {
  /** Name of the served model. */
  readonly model: string;
  readonly now: () => Date;
  /** Milliseconds since the request arrived. */
  readonly elapsedMs: () => number;
  /** Milliseconds that the request waited for its model to load. */
  readonly loadMs: number;
}

/** Builds the fields of a line, without its content. */
export function buildPieceFrame({ model, now }: AnswerOrigin): ResponseFrame {
  return { model, created_at: now().toISOString(), done: false };
}

/** Builds the fields of the last line, or of a complete answer, without its content. */
export function buildEndFrame(
  origin: AnswerOrigin,
  { reason, usage, timings }: FinishedEvent,
): ResponseFrame {
  return {
    ...buildPieceFrame(origin),
    done: true,
    done_reason: reason === "length" ? "length" : "stop",
    ...durationsOf(origin),
    prompt_eval_count: usage.promptTokens,
    prompt_eval_duration: toNanoseconds(timings.prefillMs),
    eval_count: usage.completionTokens,
    eval_duration: toNanoseconds(timings.decodeMs),
  };
}

/** Builds the fields of the answer to a request without a prompt. */
export function buildChangeFrame(origin: AnswerOrigin, change: ModelChange): ResponseFrame {
  return { ...buildPieceFrame(origin), done: true, done_reason: change, ...durationsOf(origin) };
}

function durationsOf({ elapsedMs, loadMs }: AnswerOrigin) {
  return { total_duration: toNanoseconds(elapsedMs()), load_duration: toNanoseconds(loadMs) };
}

/** Converts milliseconds to nanoseconds, Ollama's unit. */
export function toNanoseconds(milliseconds: number): number {
  assert(Number.isFinite(milliseconds));
  return Math.max(0, Math.round(milliseconds * 1e6));
}

/** Converts the token scores of a line to Ollama's `logprobs`. */
export function toLogprobs(scores: readonly TokenScore[]): Logprobs {
  return scores.map(toTokenLogprob);
}

/** Converts the token scores of a complete answer, lazily: there may be many tokens. */
function toLazyLogprobs(scores: readonly TokenScore[]): LazyList<Logprobs[number]> {
  return LazyList.from(scores, toTokenLogprob);
}

function toTokenLogprob(score: TokenScore): Logprobs[number] {
  return {
    ...toToken(score),
    ...(score.top.length > 0 && { top_logprobs: score.top.map(toToken) }),
  };
}

function toToken({ bytes, logProbability }: ScoredToken) {
  return {
    token: Buffer.from(bytes).toString(),
    logprob: toLogprob(logProbability),
    bytes: [...bytes],
  };
}

/** Serialises a value as JSON on one line. Call arguments keep the text that the model wrote. */
export function printJson(value: unknown): string {
  return escapeLineBreaks(printJsonLine(value));
}
