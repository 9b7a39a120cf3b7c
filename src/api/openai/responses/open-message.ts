import { toLogprobs } from "../logprobs.js";
import type { UnnumberedEvent } from "./event-schema.js";
import { newId } from "./new-id.js";
import type { ClosedItem, OpenItem, TextDelta } from "./open-item.js";
import type { ItemStatus, OutputMessage, OutputText } from "./response-schema.js";

/** A message of the assistant that is being written: one part of text. */
export class OpenMessage implements OpenItem {
  readonly kind = "message";
  readonly #id = newId("msg");
  readonly #place: {
    readonly output_index: number;
    readonly item_id: string;
    readonly content_index: 0;
  };
  #text = "";
  readonly #logprobs: OutputText["logprobs"] = [];

  constructor(outputIndex: number) {
    this.#place = { output_index: outputIndex, item_id: this.#id, content_index: 0 };
  }

  open(): readonly UnnumberedEvent[] {
    const { output_index } = this.#place;
    const item = this.#item("in_progress", []);
    const part = this.#part();
    return [
      { type: "response.output_item.added", output_index, item },
      { type: "response.content_part.added", ...this.#place, part },
    ];
  }

  add({ text, scores = [] }: TextDelta): readonly UnnumberedEvent[] {
    const logprobs = toLogprobs(scores).content;
    this.#text += text;
    this.#logprobs.push(...logprobs);
    return [{ type: "response.output_text.delta", ...this.#place, delta: text, logprobs }];
  }

  close(status: ItemStatus): ClosedItem {
    const { output_index } = this.#place;
    const part = this.#part();
    const { text, logprobs } = part;
    const item = this.#item(status, [part]);
    return {
      events: [
        { type: "response.output_text.done", ...this.#place, text, logprobs },
        { type: "response.content_part.done", ...this.#place, part },
        { type: "response.output_item.done", output_index, item },
      ],
      item,
    };
  }

  #part(): OutputText {
    return {
      type: "output_text",
      text: this.#text,
      annotations: [],
      logprobs: [...this.#logprobs],
    };
  }

  #item(status: ItemStatus, content: OutputText[]): OutputMessage {
    return { type: "message", id: this.#id, role: "assistant", status, content };
  }
}
