import type { UnnumberedEvent } from "./event-schema.js";
import { newId } from "./new-id.js";
import type { CallBegin, ClosedItem, OpenItem } from "./open-item.js";
import type { FunctionCallItem, ItemStatus } from "./response-schema.js";

/** How an answer names what is called. */
export type CalledName = Pick<FunctionCallItem, "name" | "namespace">;

/** A call of a function that is being written. */
export class OpenCall implements OpenItem {
  readonly kind = "call";
  readonly #id = newId("fc");
  readonly #call: CallBegin;
  readonly #name: CalledName;
  readonly #place: { readonly output_index: number; readonly item_id: string };
  #arguments = "";

  /** @param name of what is called, as the client knows it */
  constructor(outputIndex: number, call: CallBegin, name: CalledName) {
    this.#call = call;
    this.#name = name;
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
      ...this.#name,
      arguments: this.#arguments,
      status,
    };
  }
}
