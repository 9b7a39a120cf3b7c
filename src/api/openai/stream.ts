import type { ChoiceEvent } from "../../core/generation-event.js";
import type { AnswerEvent, FinishedEvent } from "../answers/collected-answer.js";
import { type CompletionIdentity, headOf } from "./completion-identity.js";
import { toFinishReason } from "./finish-reason.js";
import type { CallField } from "./functions-as-tools.js";
import { toLogprobs } from "./logprobs.js";
import type { CompletionChunk } from "./response-schema.js";
import type { UsageReporting } from "./stream-options-schema.js";
import { toTimings } from "./usage.js";
import { UsageTotals } from "./usage-totals.js";

/** What the chunks of a stream have. */
export interface StreamFields {
  readonly usage: UsageReporting;
  readonly callField: CallField;
}

type Choice = CompletionChunk["choices"][number];
type Delta = Choice["delta"];

const OBJECT = "chat.completion.chunk";
const ONE_PROMPT = Number.POSITIVE_INFINITY;
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
  const begun = new Set<number>();
  const totals = new UsageTotals(ONE_PROMPT);
  for await (const { choice: index, event } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return;
    const isFirst = !begun.has(index);
    begun.add(index);
    totals.set(index, event.usage);
    const chunkOf = (choice: Omit<Choice, "index">): CompletionChunk => ({
      ...headOf(identity, OBJECT),
      choices: [{ index, ...choice }],
      usage: totals.interim(reporting),
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
  yield { ...headOf(identity, OBJECT), choices: [], usage: totals.usage };
}

/** The first delta of a call names it; the others have pieces of its arguments. */
function toDelta(event: AnswerEvent, callField: CallField): Delta {
  switch (event.type) {
    // A chat does not ask for them.
    case "prompt-scores":
      return {};
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
