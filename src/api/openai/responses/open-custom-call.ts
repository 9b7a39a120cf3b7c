import type { UnnumberedEvent } from "./event-schema.js";
import { CUSTOM_INPUT } from "./offered-tools.js";
import { type CalledName, OpenCall } from "./open-call.js";
import type { CallBegin } from "./open-item.js";
import type { CustomCallItem, ItemStatus } from "./response-schema.js";

/** A call of a custom tool that is being written: its arguments have one member, whose text is the input. */
export class OpenCustomCall extends OpenCall {
  readonly #reader = new InputReader();
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
