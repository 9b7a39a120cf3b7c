import type { UnnumberedEvent } from "./event-schema.js";
import { newId } from "./new-id.js";
import type { CallBegin, ClosedItem, OpenItem } from "./open-item.js";
import type { FunctionCallItem, ItemStatus } from "./response-schema.js";

/** A call that is being written. */
export class OpenCall implements OpenItem {
  readonly kind = "call";
  readonly #id = newId("fc");
  readonly #call: CallBegin;
  readonly #place: { readonly output_index: number; readonly item_id: string };
  #arguments = "";

  constructor(outputIndex: number, call: CallBegin) {
    this.#call = call;
    this.#place = { output_index: outputIndex, item_id: this.#id };
  }

  open(): readonly UnnumberedEvent[] {
    const { output_index } = this.#place;
    return [{ type: "response.output_item.added", output_index, item: this.#item("in_progress") }];
  }

  add(text: string): readonly UnnumberedEvent[] {
    this.#arguments += text;
    return [{ type: "response.function_call_arguments.delta", ...this.#place, delta: text }];
  }

  close(status: ItemStatus): ClosedItem {
    const item = this.#item(status);
    const { name, arguments: written } = item;
    const { output_index } = this.#place;
    return {
      events: [
        {
          type: "response.function_call_arguments.done",
          ...this.#place,
          name,
          arguments: written,
        },
        { type: "response.output_item.done", output_index, item },
      ],
      item,
    };
  }

  #item(status: ItemStatus): FunctionCallItem {
    return {
      type: "function_call",
      id: this.#id,
      call_id: this.#call.id,
      name: this.#call.name,
      arguments: this.#arguments,
      status,
    };
  }
}
