import type { AnswerEvent } from "../answers/collected-answer.js";
import type { ContentBlock, MessageStreamEvent } from "./response-schema.js";
import { signatureOf } from "./signature.js";
import type { ThinkingDisplay } from "./thinking.js";

/** The last block of a message that is being streamed. */
type OpenBlock =
  | { readonly type: "text" | "tool_use" }
  /** Its text so far, which is signed where the block ends. */
  | { readonly type: "thinking"; readonly thinking: string };

type Delta = Extract<MessageStreamEvent, { type: "content_block_delta" }>["delta"];

/** Divides the pieces of an answer into content blocks, each of which begins, grows and ends. */
export class ContentBlocks {
  readonly #display: ThinkingDisplay;
  #open: OpenBlock | undefined;
  /** Position of the open block, or of the next one. */
  #index = 0;

  constructor(display: ThinkingDisplay) {
    this.#display = display;
  }

  /** The events of the next piece. */
  *add(event: AnswerEvent): Generator<MessageStreamEvent, void> {
    switch (event.type) {
      case "text-delta":
        if (this.#open?.type !== "text") {
          yield* this.end();
          yield this.#begin({ type: "text" }, { type: "text", text: "", citations: [] });
        }
        yield this.#delta({ type: "text_delta", text: event.text });
        break;
      case "reasoning-delta":
        yield* this.#think(event.text);
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
        yield this.#delta({ type: "input_json_delta", partial_json: event.text });
    }
  }

  /** The events that end the open block, if there is one. */
  *end(): Generator<MessageStreamEvent, void> {
    if (this.#open === undefined) return;
    if (this.#open.type === "thinking") {
      yield this.#delta({
        type: "signature_delta",
        signature: signatureOf(this.#open.thinking, this.#display),
      });
    }
    yield { type: "content_block_stop", index: this.#index };
    this.#open = undefined;
    this.#index++;
  }

  *#think(text: string): Generator<MessageStreamEvent, void> {
    if (this.#open?.type !== "thinking") {
      yield* this.end();
      yield this.#begin(
        { type: "thinking", thinking: "" },
        { type: "thinking", thinking: "", signature: "" },
      );
    }
    const before = this.#open?.type === "thinking" ? this.#open.thinking : "";
    this.#open = { type: "thinking", thinking: before + text };
    if (this.#display === "shown") yield this.#delta({ type: "thinking_delta", thinking: text });
  }

  #begin(open: OpenBlock, block: ContentBlock): MessageStreamEvent {
    this.#open = open;
    return { type: "content_block_start", index: this.#index, content_block: block };
  }

  #delta(delta: Delta): MessageStreamEvent {
    return { type: "content_block_delta", index: this.#index, delta };
  }
}
