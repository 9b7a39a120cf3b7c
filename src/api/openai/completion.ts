import type { ChoiceEvent, FinishReason } from "../../core/generation-event.js";
import type { ToolCall } from "../../core/generation-request.js";
import { collectAnswers } from "../answers/collect-answer.js";
import type { CollectedAnswer } from "../answers/collected-answer.js";
import type { AnsweredMessage } from "./answered-calls.js";
import { type CallReporting, toAnsweredCall } from "./call-reporting.js";
import { type CompletionIdentity, headOf } from "./completion-identity.js";
import { toFinishReason } from "./finish-reason.js";
import { type LazyLogprobs, toLazyLogprobs } from "./logprobs.js";
import type { Completion } from "./response-schema.js";
import { toTimings, toUsage } from "./usage.js";

interface WholeCompletion extends Omit<Completion, "choices"> {
  readonly choices: readonly WholeChoice[];
}

/** A choice whose log-probabilities are printed one by one. */
interface WholeChoice extends Omit<Completion["choices"][number], "message" | "logprobs"> {
  readonly message: AnsweredMessage;
  readonly logprobs: LazyLogprobs | null;
}

/**
 * Collects the generations of a request into one completion.
 * @returns `undefined` when the client disconnected.
 * @throws {GgufdError} the error that ended a generation.
 */
export async function toCompletion(
  events: AsyncIterable<ChoiceEvent>,
  identity: CompletionIdentity,
  calls: CallReporting,
): Promise<WholeCompletion | undefined> {
  const whole = await collectAnswers(events);
  if (whole === undefined) return undefined;
  const finished = whole.map((one) => one.finished);
  return {
    ...headOf(identity, "chat.completion"),
    choices: whole.map(({ answer, finished: { reason } }, index) =>
      toChoice(answer, index, reason, calls),
    ),
    usage: toUsage(finished.map(({ usage }) => usage)),
    timings: toTimings(finished),
  };
}

/** A choice of a chat completion that has ended. */
function toChoice(
  answer: CollectedAnswer,
  index: number,
  reason: FinishReason,
  reporting: CallReporting,
): WholeChoice {
  return {
    index,
    message: toMessage(answer, reporting),
    logprobs: answer.scores === undefined ? null : toLazyLogprobs(answer.scores),
    finish_reason: toFinishReason(reason, reporting.field),
  };
}

/** `content` is null for tool calls without text, as in OpenAI's responses. */
function toMessage(
  { text, reasoning, calls }: CollectedAnswer,
  reporting: CallReporting,
): AnsweredMessage {
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...toCalls(calls, reporting),
  };
}

function toCalls(
  calls: readonly ToolCall[],
  reporting: CallReporting,
): Pick<AnsweredMessage, CallReporting["field"]> {
  const [first] = calls;
  if (first === undefined) return {};
  if (reporting.field === "tool_calls") {
    return { tool_calls: calls.map((call) => toAnsweredCall(call, reporting)) };
  }
  return { function_call: { name: first.name, arguments: first.arguments } };
}
