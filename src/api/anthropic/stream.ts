import assert from "node:assert/strict";
import type { ChoiceEvent, TokenUsage } from "../../core/generation-event.js";
import type { PrintedItem } from "../../core/printed-item.js";
import type { AnswerEvent } from "../answers/collected-answer.js";
import { JsonTemplate } from "../answers/json-template.js";
import { type MessageIdentity, toDeltaUsage, toStopReason, toUsage } from "./answer.js";
import type { ContentBlock, MessageStreamEvent } from "./response-schema.js";
import { createSignature, type ThinkingDisplay } from "./thinking.js";

/**
 * Yields the events of a streamed message. The first event is held back until the first piece of
 * the answer: it reports the cached tokens, and clients that measure the time to first token would
 * take it for a token.
 * @throws {GgufdError} the error that ended the generation
 */
export async function* toMessageEvents(
  events: AsyncIterable<ChoiceEvent>,
  identity: MessageIdentity,
): AsyncGenerator<MessageStreamEvent | PrintedItem, void> {
  const blocks = new ContentBlocks(identity.thinking);
  let hasBegun = false;
  for await (const { event } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return;
    if (!hasBegun) yield buildMessageStart(identity, event.usage);
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

function buildMessageStart({ id, model }: MessageIdentity, usage: TokenUsage): MessageStreamEvent {
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

/** Last block of a message that is being streamed. */
type OpenBlock =
  | { readonly type: "text" | "tool_use" }
  /** Text so far, which is signed when the block ends. */
  | { readonly type: "thinking"; readonly thinking: string };

type Delta = Extract<MessageStreamEvent, { type: "content_block_delta" }>["delta"];

/**
 * Groups the pieces of an answer into content blocks. At most one block is open; deltas extend it.
 */
class ContentBlocks {
  readonly #display: ThinkingDisplay;
  #openBlock: OpenBlock | undefined;
  /** Index of the open block, or of the next one. */
  #index = 0;
  /** Template of the open block's deltas, if it is a text block. */
  #textDeltas: JsonTemplate<MessageStreamEvent> | undefined;

  constructor(display: ThinkingDisplay) {
    this.#display = display;
  }

  /** Yields the events for the next piece. */
  *add(event: AnswerEvent): Generator<MessageStreamEvent | PrintedItem, void> {
    switch (event.type) {
      case "text-delta":
        if (this.#openBlock?.type !== "text") {
          yield* this.end();
          yield this.#begin({ type: "text" }, { type: "text", text: "", citations: [] });
        }
        this.#textDeltas ??= new JsonTemplate((text) =>
          this.#buildDelta({ type: "text_delta", text }),
        );
        yield this.#textDeltas.render(event.text);
        break;
      case "reasoning-delta":
        yield* this.#addThinking(event.text);
        break;
      case "tool-call-begin": {
        const { id, name } = event;
        yield* this.end();
        yield this.#begin(
          { type: "tool_use" },
          { type: "tool_use", id, name, input: {}, caller: { type: "direct" } },
        );
        break;
      }
      case "tool-call-arguments":
        yield this.#buildDelta({ type: "input_json_delta", partial_json: event.text });
    }
  }

  /** Yields the events that end the open block, if there is one. */
  *end(): Generator<MessageStreamEvent, void> {
    if (this.#openBlock === undefined) return;
    if (this.#openBlock.type === "thinking") {
      yield this.#buildDelta({
        type: "signature_delta",
        signature: createSignature(this.#openBlock.thinking, this.#display),
      });
    }
    yield { type: "content_block_stop", index: this.#index };
    this.#openBlock = undefined;
    this.#textDeltas = undefined;
    this.#index++;
  }

  *#addThinking(text: string): Generator<MessageStreamEvent, void> {
    if (this.#openBlock?.type !== "thinking") {
      yield* this.end();
      yield this.#begin(
        { type: "thinking", thinking: "" },
        { type: "thinking", thinking: "", signature: "" },
      );
    }
    const previousText = this.#openBlock?.type === "thinking" ? this.#openBlock.thinking : "";
    this.#openBlock = { type: "thinking", thinking: previousText + text };
    if (this.#display === "shown")
      yield this.#buildDelta({ type: "thinking_delta", thinking: text });
  }

  #begin(open: OpenBlock, block: ContentBlock): MessageStreamEvent {
    assert.equal(this.#openBlock, undefined, "a block must end before the next one begins");
    this.#openBlock = open;
    return { type: "content_block_start", index: this.#index, content_block: block };
  }

  #buildDelta(delta: Delta): MessageStreamEvent {
    assert(this.#openBlock !== undefined, "a delta must follow the start of its block");
    return { type: "content_block_delta", index: this.#index, delta };
  }
}
