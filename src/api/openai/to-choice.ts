import type { FinishReason } from "../../core/generation-event.js";
import type { ToolCall } from "../../core/generation-request.js";
import type { CollectedAnswer } from "../answers/collected-answer.js";
import { toFinishReason } from "./finish-reason.js";
import type { CallField } from "./functions-as-tools.js";
import { type LazyLogprobs, toLazyLogprobs } from "./logprobs.js";
import type { Completion } from "./response-schema.js";

/** A choice whose log-probabilities are printed one by one. */
export interface WholeChoice extends Omit<Completion["choices"][number], "logprobs"> {
  readonly logprobs: LazyLogprobs | null;
}
type Message = WholeChoice["message"];

/** A choice of a chat completion that has ended. */
export function toChoice(
  answer: CollectedAnswer,
  index: number,
  reason: FinishReason,
  callField: CallField,
): WholeChoice {
  return {
    index,
    message: toMessage(answer, callField),
    logprobs: answer.scores === undefined ? null : toLazyLogprobs(answer.scores),
    finish_reason: toFinishReason(reason, callField),
  };
}

/** `content` is null for tool calls without text, as in OpenAI's responses. */
function toMessage({ text, reasoning, calls }: CollectedAnswer, callField: CallField): Message {
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...toCalls(calls, callField),
  };
}

function toCalls(calls: readonly ToolCall[], callField: CallField): Pick<Message, CallField> {
  const [first] = calls;
  if (first === undefined) return {};
  if (callField === "tool_calls") return { tool_calls: calls.map(toToolCall) };
  return { function_call: { name: first.name, arguments: first.arguments } };
}

function toToolCall(call: ToolCall): NonNullable<Message["tool_calls"]>[number] {
  return {
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  };
}
