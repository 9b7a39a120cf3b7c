import { CustomInputReader } from "../custom-tool.js";
import type { UnnumberedEvent } from "./event-schema.js";
import { type IdPrefix, newId } from "./new-id.js";
import type { CallBegin, ClosedItem, OpenItem } from "./open-item.js";
import type { CustomCallItem, FunctionCallItem, ItemStatus } from "./response-schema.js";

/** How an answer names what is called. */
export type CalledName = Pick<FunctionCallItem, "name" | "namespace">;

/** A call that is being written. */
export abstract class OpenCall implements OpenItem {
  readonly kind = "call";
  /** What all events of the call have. */
  protected readonly place: { readonly output_index: number; readonly item_id: string };
  /** What its item has from the beginning. */
  protected readonly head: CalledName & { readonly id: string; readonly call_id: string };

  /** @param name of what is called, as the client knows it */
  constructor(prefix: IdPrefix, outputIndex: number, call: CallBegin, name: CalledName) {
    const id = newId(prefix);
    this.place = { output_index: outputIndex, item_id: id };
    this.head = { id, call_id: call.id, ...name };
  }

  open(): readonly UnnumberedEvent[] {
    const { output_index } = this.place;
    return [{ type: "response.output_item.added", output_index, item: this.item("in_progress") }];
  }

  /** Takes the next piece of the arguments. */
  abstract add(text: string): readonly UnnumberedEvent[];

  close(status: ItemStatus): ClosedItem {
    const item = this.item(status);
    const { output_index } = this.place;
    return {
      events: [this.done(), { type: "response.output_item.done", output_index, item }],
      item,
    };
  }

  /** The event with all that was written. */
  protected abstract done(): UnnumberedEvent;

  protected abstract item(status: ItemStatus): FunctionCallItem | CustomCallItem;
}

/** A call of a function that is being written. */
export class OpenFunctionCall extends OpenCall {
  #arguments = "";

  constructor(outputIndex: number, call: CallBegin, name: CalledName) {
    super("fc", outputIndex, call, name);
  }

  add(text: string): readonly UnnumberedEvent[] {
    this.#arguments += text;
    return [{ type: "response.function_call_arguments.delta", ...this.place, delta: text }];
  }

  protected done(): UnnumberedEvent {
    const type = "response.function_call_arguments.done";
    return { type, ...this.place, name: this.head.name, arguments: this.#arguments };
  }

  protected item(status: ItemStatus): FunctionCallItem {
    return { type: "function_call", ...this.head, arguments: this.#arguments, status };
  }
}

/** A call of a custom tool that is being written: its arguments have one member, whose text is the input. */
export class OpenCustomCall extends OpenCall {
  readonly #reader = new CustomInputReader();
  #input = "";

  constructor(outputIndex: number, call: CallBegin, name: CalledName) {
    super("ctc", outputIndex, call, name);
  }

  add(text: string): readonly UnnumberedEvent[] {
    const delta = this.#reader.read(text);
    this.#input += delta;
    if (delta === "") return [];
    return [{ type: "response.custom_tool_call_input.delta", ...this.place, delta }];
  }

  protected done(): UnnumberedEvent {
    return { type: "response.custom_tool_call_input.done", ...this.place, input: this.#input };
  }

  protected item(status: ItemStatus): CustomCallItem {
    return { type: "custom_tool_call", ...this.head, input: this.#input, status };
  }
}
