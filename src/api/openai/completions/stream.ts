import type { ChoiceEvent, FinishReason, TokenUsage } from "../../../core/generation-event.js";
import type { CompletionIdentity } from "../completion.js";
import type { UsageReporting } from "../stream-options-schema.js";
import { toTimings } from "../usage.js";
import { characterCount, toTextLogprobs } from "./logprobs.js";
import type { TextCompletionChunk } from "./response-schema.js";
import type { CompletionPlan } from "./translate.js";
import { usageOfPrompts } from "./usage.js";

type Choice = TextCompletionChunk["choices"][number];

/** Old completions have no tools. */
export function toFinishReason(reason: FinishReason): "stop" | "length" {
  return reason === "length" ? "length" : "stop";
}

/**
 * The chunks of a streamed completion: one for each piece of text, and one with the finish reason. An
 * echo is part of the first piece.
 * @throws {GgufdError} the error that ended a generation
 */
export async function* toTextChunks(
  events: AsyncIterable<ChoiceEvent>,
  identity: CompletionIdentity,
  plan: CompletionPlan,
  reporting: UsageReporting,
): AsyncGenerator<TextCompletionChunk, void> {
  /** So far, by completion; a hole for one that has not begun. */
  const usages: TokenUsage[] = [];
  /** Characters so far, by completion. */
  const lengths = new Map<number, number>();
  const usage = () => usageOfPrompts(usages, plan.generated);
  const chunkOf = (choice: Choice): TextCompletionChunk => ({
    ...commonFields(identity),
    choices: [choice],
    usage: reporting === "none" ? undefined : reporting === "continuous" ? usage() : null,
  });
  for await (const { choice: index, event } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return;
    const isFirst = usages[index] === undefined;
    usages[index] = event.usage;
    const echo = isFirst ? (plan.echoes[Math.floor(index / plan.generated)] ?? "") : "";
    if (event.type === "finished") {
      const finish_reason = toFinishReason(event.reason);
      const chunk = chunkOf({ index, text: echo, logprobs: null, finish_reason });
      yield { ...chunk, timings: toTimings([event]) };
    } else if (event.type === "text-delta") {
      const offset = (lengths.get(index) ?? 0) + characterCount(echo);
      lengths.set(index, offset + characterCount(event.text));
      const { scores } = event;
      const logprobs = scores === undefined ? null : toTextLogprobs(scores, offset);
      yield chunkOf({ index, text: echo + event.text, logprobs, finish_reason: null });
    }
  }
  if (reporting === "none") return;
  yield { ...commonFields(identity), choices: [], usage: usage() };
}

function commonFields(identity: CompletionIdentity) {
  return {
    id: identity.id,
    object: "text_completion" as const,
    created: identity.created,
    model: identity.model,
    system_fingerprint: identity.systemFingerprint,
  };
}
