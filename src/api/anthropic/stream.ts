import type { ChoiceEvent, TokenUsage } from "../../core/generation-event.js";
import { ContentBlocks } from "./content-blocks.js";
import type { MessageIdentity } from "./message.js";
import type { MessageStreamEvent } from "./response-schema.js";
import { toStopReason } from "./stop-reason.js";
import { toDeltaUsage, toUsage } from "./usage.js";

/**
 * The events of a streamed message. The first one comes together with the first piece of the answer: it
 * has the tokens that were cached, and a message that began without one would falsify the time to the first
 * token.
 * @throws {GgufdError} the error that ended the generation
 */
export async function* toMessageEvents(
  events: AsyncIterable<ChoiceEvent>,
  identity: MessageIdentity,
): AsyncGenerator<MessageStreamEvent, void> {
  const blocks = new ContentBlocks(identity.thinking);
  let hasBegun = false;
  for await (const { event } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return;
    if (!hasBegun) yield messageStart(identity, event.usage);
    hasBegun = true;
    if (event.type !== "finished") {
      yield* blocks.add(event);
      continue;
    }
    yield* blocks.end();
    yield {
      type: "message_delta",
      delta: { ...toStopReason(event), stop_details: null, container: null },
      usage: toDeltaUsage(event.usage),
    };
    yield { type: "message_stop" };
  }
}

function messageStart({ id, model }: MessageIdentity, usage: TokenUsage): MessageStreamEvent {
  return {
    type: "message_start",
    message: {
      id,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: toUsage(usage),
    },
  };
}
