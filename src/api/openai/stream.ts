import type { ChoiceEvent, TokenUsage } from "../../core/generation-event.js";
import type { AnswerEvent, FinishedEvent } from "../answers/collected-answer.js";
import type { CompletionIdentity } from "./completion.js";
import { toFinishReason } from "./finish-reason.js";
import type { CallField } from "./functions-as-tools.js";
import { toLogprobs } from "./logprobs.js";
import type { CompletionChunk } from "./response-schema.js";
import type { UsageReporting } from "./stream-options-schema.js";
import { toTimings, toUsage } from "./usage.js";

/** What the chunks of a stream have. */
export interface StreamFields {
  readonly usage: UsageReporting;
  readonly callField: CallField;
}

type Choice = CompletionChunk["choices"][number];
type Delta = Choice["delta"];

const ROLE = { role: "assistant" } as const;

/**
 * The chunks of a streamed completion, one for each delta of each choice. The role is part of a
 * choice's first delta: a separate chunk would count as the first token in measurements of TTFT. With
 * log-probabilities it goes just before: OpenAI's package counts those of a choice's first chunk twice.
 * @throws {GgufdError} the error that ended a generation.
 */
export async function* toChunks(
  events: AsyncIterable<ChoiceEvent>,
  identity: CompletionIdentity,
  { usage: reporting, callField }: StreamFields,
): AsyncGenerator<CompletionChunk, void> {
  /** So far, by choice; a hole for one that has not begun. */
  const usages: TokenUsage[] = [];
  for await (const { choice: index, event } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return;
    const isFirst = usages[index] === undefined;
    usages[index] = event.usage;
    const chunkOf = (choice: Omit<Choice, "index">): CompletionChunk => ({
      ...commonFields(identity),
      choices: [{ index, ...choice }],
      usage: interimUsage(usages, reporting),
    });
    const logprobs = logprobsOf(event);
    const hasRoleApart = isFirst && (event.type === "finished" || logprobs !== null);
    if (hasRoleApart) yield chunkOf({ delta: ROLE, logprobs: null, finish_reason: null });
    if (event.type === "finished") {
      const finish_reason = toFinishReason(event.reason, callField);
      const timings = toTimings([event]);
      yield { ...chunkOf({ delta: {}, logprobs: null, finish_reason }), timings };
      continue;
    }
    const answer = toDelta(event, callField);
    const delta = isFirst && !hasRoleApart ? { ...ROLE, ...answer } : answer;
    yield chunkOf({ delta, logprobs, finish_reason: null });
  }
  if (reporting === "none") return;
  yield { ...commonFields(identity), choices: [], usage: toUsage(begunOf(usages)) };
}

/** The first delta of a call names it; the others have pieces of its arguments. */
function toDelta(event: AnswerEvent, callField: CallField): Delta {
  switch (event.type) {
    case "text-delta":
      return { content: event.text };
    case "reasoning-delta":
      return { reasoning_content: event.text };
    case "tool-call-begin": {
      const { index, id, name } = event;
      if (callField === "function_call") return { function_call: { name, arguments: "" } };
      return { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] };
    }
    case "tool-call-arguments": {
      const { index, text } = event;
      if (callField === "function_call") return { function_call: { arguments: text } };
      return { tool_calls: [{ index, function: { arguments: text } }] };
    }
  }
}

function logprobsOf(event: AnswerEvent | FinishedEvent): Choice["logprobs"] {
  return event.type === "text-delta" && event.scores !== undefined
    ? toLogprobs(event.scores)
    : null;
}

function commonFields(identity: CompletionIdentity) {
  return {
    id: identity.id,
    object: "chat.completion.chunk" as const,
    created: identity.created,
    model: identity.model,
    system_fingerprint: identity.systemFingerprint,
  };
}

/** As with OpenAI, usage is null in the chunks before the one that has it. */
function interimUsage(usages: readonly TokenUsage[], reporting: StreamFields["usage"]) {
  if (reporting === "none") return undefined;
  return reporting === "continuous" ? toUsage(begunOf(usages)) : null;
}

/** Without the holes. */
function begunOf(usages: readonly TokenUsage[]): readonly TokenUsage[] {
  return Object.values(usages);
}
