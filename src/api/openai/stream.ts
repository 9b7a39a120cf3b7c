import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import type { GenerationEvent, TokenUsage } from "../../core/generation-event.js";
import type { CompletionIdentity } from "./completion.js";
import { type Timings, toTimings, toUsage } from "./usage.js";

/** When a stream tells token counts: never, in a last chunk of its own, or in every chunk. */
export type UsageReporting = "none" | "at-end" | "continuous";

/** One event of a stream; the last one with choices carries llama-server's `timings`. */
export type CompletionChunk = ChatCompletionChunk & { readonly timings?: Timings };

type Delta = ChatCompletionChunk.Choice.Delta;

/**
 * The chunks of a streamed answer, one for each piece of text. The role comes with the first text:
 * a chunk of its own would look like a first token to whoever measures.
 * @throws {GgufdError} the error that ended the generation.
 */
export async function* toChunks(
  events: AsyncIterable<GenerationEvent>,
  identity: CompletionIdentity,
  reporting: UsageReporting,
): AsyncGenerator<CompletionChunk, void> {
  let roleSent = false;
  const withRole = (delta: Delta): Delta => {
    if (roleSent) return delta;
    roleSent = true;
    return { role: "assistant", ...delta };
  };
  for await (const event of events) {
    switch (event.type) {
      case "text-delta":
        yield {
          ...head(identity),
          choices: [choice(withRole({ content: event.text }), null)],
          usage: interimUsage(event.usage, reporting),
        };
        break;
      case "finished":
        if (!roleSent) {
          yield {
            ...head(identity),
            choices: [choice(withRole({}), null)],
            usage: interimUsage(event.usage, reporting),
          };
        }
        yield {
          ...head(identity),
          choices: [choice({}, event.reason)],
          usage: interimUsage(event.usage, reporting),
          timings: toTimings(event.usage, event.timings),
        };
        if (reporting !== "none") {
          yield { ...head(identity), choices: [], usage: toUsage(event.usage) };
        }
        return;
      case "failed":
        throw event.error;
      case "cancelled":
        return;
    }
  }
}

function head(identity: CompletionIdentity) {
  return {
    id: identity.id,
    object: "chat.completion.chunk" as const,
    created: identity.created,
    model: identity.model,
    system_fingerprint: identity.systemFingerprint,
  };
}

function choice(
  delta: Delta,
  finishReason: ChatCompletionChunk.Choice["finish_reason"],
): ChatCompletionChunk.Choice {
  return { index: 0, delta, logprobs: null, finish_reason: finishReason };
}

/** OpenAI writes null into the chunks before the one that has the usage. */
function interimUsage(usage: TokenUsage, reporting: UsageReporting) {
  if (reporting === "none") return undefined;
  return reporting === "continuous" ? toUsage(usage) : null;
}
