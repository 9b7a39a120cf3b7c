import { CustomInputReader } from "../custom-input-reader.js";
import type { UnnumberedEvent } from "./event-schema.js";
import { type CalledName, OpenCall } from "./open-call.js";
import type { CallBegin } from "./open-item.js";
import type { CustomCallItem, ItemStatus } from "./response-schema.js";

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
