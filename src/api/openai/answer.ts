import { z } from "zod";
import type { ChoiceEvent } from "../../core/generation-event.js";
import type { ToolCall } from "../../core/generation-request.js";
import { type CollectedAnswer, collectAnswers } from "../answers/collected-answer.js";
import { type LazyLogprobs, logprobs, toLazyLogprobs } from "../fields/logprobs.js";
import { timings, toTimings, toUsage, usage } from "../fields/usage.js";
import { type CompletionIdentity, headFields, headOf } from "./completion-identity.js";
import {
  type CallReporting,
  calledFunction,
  FUNCTION_CALL_DESCRIPTION,
  finishReason,
  type ReportedCall,
  toFinishReason,
  toolCall,
  toReportedCall,
} from "./tool-calls.js";

/**
 * Chat completion that is not streamed. A test checks the schema against the types of OpenAI's
 * client.
 */
export const chatCompletion = z
  .object({
    ...headFields,
    object: z.literal("chat.completion"),
    choices: z
      .array(
        z.object({
          index: z.int().nonnegative(),
          message: z.object({
            role: z.literal("assistant"),
            content: z.string().nullable().meta({
              description: "null for tool calls without text.",
            }),
            refusal: z.null(),
            reasoning_content: z.string().optional(),
            tool_calls: z.array(toolCall).optional(),
            function_call: calledFunction
              .optional()
              .meta({ description: FUNCTION_CALL_DESCRIPTION }),
          }),
          logprobs: logprobs.nullable(),
          finish_reason: finishReason,
        }),
      )
      .meta({ description: "The choices, as many as `n`, in order." }),
    usage,
    timings,
  })
  .meta({ id: "ChatCompletion" });

export type Completion = z.infer<typeof chatCompletion>;

type Choice = Completion["choices"][number];
type Message = Choice["message"];

/** Message of a completion, as serialised. */
export interface ReportedMessage extends Omit<Message, "tool_calls"> {
  tool_calls?: ReportedCall[];
}

/** Completion whose log-probabilities are serialised one at a time. */
interface WholeCompletion extends Omit<Completion, "choices"> {
  readonly choices: readonly WholeChoice[];
}

interface WholeChoice extends Omit<Choice, "message" | "logprobs"> {
  readonly message: ReportedMessage;
  readonly logprobs: LazyLogprobs | null;
}

/**
 * Collects the generations of a request into one completion.
 * @returns `undefined` if the client disconnected
 * @throws {GgufdError} the error that ended a generation
 */
export async function toCompletion(
  events: AsyncIterable<ChoiceEvent>,
  identity: CompletionIdentity,
  calls: CallReporting,
): Promise<WholeCompletion | undefined> {
  const wholeAnswers = await collectAnswers(events);
  if (wholeAnswers === undefined) return undefined;
  const finishEvents = wholeAnswers.map((one) => one.finished);
  return {
    ...headOf(identity, "chat.completion"),
    choices: wholeAnswers.map(({ answer, finished: { reason } }, index) => ({
      index,
      message: toMessage(answer, calls),
      logprobs: answer.scores === undefined ? null : toLazyLogprobs(answer.scores),
      finish_reason: toFinishReason(reason, calls.field),
    })),
    usage: toUsage(finishEvents.map(({ usage }) => usage)),
    timings: toTimings(finishEvents),
  };
}

/** Builds the message. `content` is null for tool calls without text, as in OpenAI's responses. */
function toMessage(
  { text, reasoning, calls }: CollectedAnswer,
  reporting: CallReporting,
): ReportedMessage {
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
): Pick<ReportedMessage, CallReporting["field"]> {
  const [first] = calls;
  if (first === undefined) return {};
  if (reporting.field === "tool_calls") {
    return { tool_calls: calls.map((call) => toReportedCall(call, reporting)) };
  }
  return { function_call: { name: first.name, arguments: first.arguments } };
}
