import assert from "node:assert/strict";
import type {
  ContentBlock,
  Message,
  MessageStreamEvent,
} from "../../../src/api/anthropic/response-schema.js";

type OpenBlock = { readonly block: ContentBlock; json: string };

/** Assembles the message from a stream's events, as a client does, and checks their order. */
export function assembled(events: readonly MessageStreamEvent[]): Message {
  const [first, ...others] = events;
  assert(first?.type === "message_start", "a message begins");
  const message = structuredClone(first.message);
  let open: OpenBlock | undefined;
  let ending: "none" | "told" | "ended" = "none";
  for (const event of others) {
    assert(ending !== "ended", "nothing follows the end");
    switch (event.type) {
      case "content_block_start":
        assert(open === undefined && ending === "none", "one block at a time");
        assert.equal(event.index, message.content.length);
        open = { block: structuredClone(event.content_block), json: "" };
        message.content.push(open.block);
        break;
      case "content_block_delta":
        assert(open !== undefined, "a delta belongs to a block");
        assert.equal(event.index, message.content.length - 1);
        grow(open, event.delta);
        break;
      case "content_block_stop":
        assert(open !== undefined, "a block ends once");
        assert.equal(event.index, message.content.length - 1);
        if (open.block.type === "tool_use" && open.json !== "") {
          open.block.input = JSON.parse(open.json);
        }
        open = undefined;
        break;
      case "message_delta":
        assert(open === undefined && ending === "none", "all blocks have ended");
        Object.assign(message, event.delta);
        Object.assign(message.usage, event.usage);
        ending = "told";
        break;
      case "message_stop":
        assert.equal(ending, "told");
        ending = "ended";
        break;
      case "message_start":
        assert.fail("a message begins once");
    }
  }
  assert.equal(ending, "ended");
  return message;
}

type Delta = Extract<MessageStreamEvent, { type: "content_block_delta" }>["delta"];

function grow(open: OpenBlock, delta: Delta): void {
  const { block } = open;
  switch (delta.type) {
    case "text_delta":
      assert(block.type === "text");
      block.text += delta.text;
      break;
    case "thinking_delta":
      assert(block.type === "thinking" && block.signature === "");
      block.thinking += delta.thinking;
      break;
    case "signature_delta":
      assert(block.type === "thinking");
      block.signature = delta.signature;
      break;
    case "input_json_delta":
      assert(block.type === "tool_use");
      open.json += delta.partial_json;
  }
}
