import { writtenObject } from "../../core/written-json.js";
import type { CollectedBlock, CollectedBlocks } from "./collect-blocks.js";
import type { ContentBlock, Message } from "./response-schema.js";
import { signatureOf } from "./signature.js";
import { toStopReason } from "./stop-reason.js";
import type { ThinkingDisplay } from "./thinking.js";
import { toUsage } from "./usage.js";

/** What a message has from the request that it answers. */
export interface MessageIdentity {
  readonly id: string;
  /** The alias of the served model. */
  readonly model: string;
  readonly thinking: ThinkingDisplay;
}

/** A message that is not streamed. */
export function toMessage(
  { blocks, finished }: CollectedBlocks,
  { id, model, thinking }: MessageIdentity,
): Message {
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content: blocks.map((block) => toContentBlock(block, thinking)),
    ...toStopReason(finished),
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: toUsage(finished.usage),
  };
}

function toContentBlock(block: CollectedBlock, display: ThinkingDisplay): ContentBlock {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text, citations: [] };
    case "thinking":
      return {
        type: "thinking",
        thinking: display === "shown" ? block.text : "",
        signature: signatureOf(block.text, display),
      };
    case "tool_use": {
      const { id, name, json } = block;
      // Empty where the token limit cut the arguments off: clients are told by the stop reason.
      const input = writtenObject(json) ?? {};
      return { type: "tool_use", id, name, input, caller: { type: "direct" } };
    }
  }
}
