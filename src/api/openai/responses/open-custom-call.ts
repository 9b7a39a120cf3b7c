import type { UnnumberedEvent } from "./event-schema.js";
import { newId } from "./new-id.js";
import { CUSTOM_INPUT } from "./offered-tools.js";
import type { CalledName } from "./open-call.js";
import type { CallBegin, ClosedItem, OpenItem } from "./open-item.js";
import type { CustomCallItem, ItemStatus } from "./response-schema.js";

/** A call of a custom tool that is being written: its arguments have one member, whose text is the input. */
export class OpenCustomCall implements OpenItem {
  readonly kind = "call";
  readonly #id = newId("ctc");
  readonly #call: CallBegin;
  readonly #name: CalledName;
  readonly #place: { readonly output_index: number; readonly item_id: string };
  readonly #reader = new InputReader();
  #input = "";

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
    const delta = this.#reader.read(text);
    this.#input += delta;
    if (delta === "") return [];
    return [{ type: "response.custom_tool_call_input.delta", ...this.#place, delta }];
  }

  close(status: ItemStatus): ClosedItem {
    const item = this.#item(status);
    const { output_index } = this.#place;
    return {
      events: [
        { type: "response.custom_tool_call_input.done", ...this.#place, input: this.#input },
        { type: "response.output_item.done", output_index, item },
      ],
      item,
    };
  }

  #item(status: ItemStatus): CustomCallItem {
    return {
      type: "custom_tool_call",
      id: this.#id,
      call_id: this.#call.id,
      ...this.#name,
      input: this.#input,
      status,
    };
  }
}

const BEGINNING = new RegExp(`^\\s*\\{\\s*"${CUSTOM_INPUT}"\\s*:\\s*"`);
const HIGH_SURROGATE = "\\\\u[dD][89abAB][0-9a-fA-F]{2}";
/** What stands in a JSON string, up to its end or to an escape or half of a character that may still go on. */
const STRING_TEXT = new RegExp(
  `^(?:[^"\\\\\ud800-\udbff]|[\ud800-\udbff](?=[^])|\\\\[^u]` +
    `|${HIGH_SURROGATE}\\\\u[0-9a-fA-F]{4}|${HIGH_SURROGATE}(?=[^\\\\]|\\\\[^u])` +
    `|\\\\u(?![dD][89abAB])[0-9a-fA-F]{4})*`,
);

/** Reads the input of a custom tool from arguments that come in pieces. */
class InputReader {
  #unread = "";
  #state: "before" | "in" | "behind" = "before";

  /** @returns what the next piece of the arguments adds to the input */
  read(piece: string): string {
    this.#unread += piece;
    if (this.#state === "before") {
      const beginning = BEGINNING.exec(this.#unread)?.[0];
      if (beginning === undefined) return "";
      this.#unread = this.#unread.slice(beginning.length);
      this.#state = "in";
    }
    if (this.#state === "behind") return "";
    const complete = STRING_TEXT.exec(this.#unread)?.[0] ?? "";
    if (this.#unread.charAt(complete.length) === '"') this.#state = "behind";
    this.#unread = this.#unread.slice(complete.length);
    return JSON.parse(`"${complete}"`) as string;
  }
}
