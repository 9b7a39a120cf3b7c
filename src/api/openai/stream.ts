import type { GenerationEvent, TokenUsage } from "../../core/generation-event.js";
import type { ToolCall } from "../../core/generation-request.js";
import type { CompletionIdentity } from "./completion.js";
import { toFinishReason } from "./finish-reason.js";
import type { CompletionChunk } from "./response-schema.js";
import { toTimings, toUsage } from "./usage.js";

/** Which chunks of a stream have the usage: none, a last chunk of its own, or every chunk. */
export type UsageReporting = "none" | "at-end" | "continuous";

type Choice = CompletionChunk["choices"][number];
type Delta = Choice["delta"];

/**
 * The chunks of a streamed completion, one for each delta. The role is part of the first delta: a
 * separate chunk would count as the first token in measurements of TTFT.
 * @throws {GgufdError} the error that ended the generation.
 */
export async function* toChunks(
  events: AsyncIterable<GenerationEvent>,
  identity: CompletionIdentity,
  reporting: UsageReporting,
): AsyncGenerator<CompletionChunk, void> {
  let roleSent = false;
  const chunk = (delta: Delta, usage: TokenUsage): CompletionChunk => {
    const role = roleSent ? {} : { role: "assistant" as const };
    roleSent = true;
    return {
      ...commonFields(identity),
      choices: [choice({ ...role, ...delta }, null)],
      usage: interimUsage(usage, reporting),
    };
  };
  for await (const event of events) {
    switch (event.type) {
      case "text-delta":
        yield chunk({ content: event.text }, event.usage);
        break;
      case "reasoning-delta":
        yield chunk({ reasoning_content: event.text }, event.usage);
        break;
      case "tool-call":
        for (const delta of toolCallDeltas(event.index, event.call)) {
          yield chunk({ tool_calls: [delta] }, event.usage);
        }
        break;
      case "finished":
        if (!roleSent) yield chunk({}, event.usage);
        yield {
          ...commonFields(identity),
          choices: [choice({}, toFinishReason(event.reason))],
          usage: interimUsage(event.usage, reporting),
          timings: toTimings(event.usage, event.timings),
        };
        if (reporting !== "none") {
          yield { ...commonFields(identity), choices: [], usage: toUsage(event.usage) };
        }
        return;
      case "failed":
        throw event.error;
      case "cancelled":
        return;
    }
  }
}

/** A call in two deltas: the function name, then the arguments. */
function toolCallDeltas(
  index: number,
  { id, name, arguments: text }: ToolCall,
): NonNullable<Delta["tool_calls"]> {
  return [
    { index, id, type: "function", function: { name, arguments: "" } },
    { index, function: { arguments: text } },
  ];
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

function choice(delta: Delta, finishReason: Choice["finish_reason"]): Choice {
  return { index: 0, delta, logprobs: null, finish_reason: finishReason };
}

/** As with OpenAI, usage is null in the chunks before the one that has it. */
function interimUsage(usage: TokenUsage, reporting: UsageReporting) {
  if (reporting === "none") return undefined;
  return reporting === "continuous" ? toUsage(usage) : null;
}
