import { CUSTOM_INPUT } from "./custom-tool.js";

const BEGINNING = new RegExp(`^\\s*\\{\\s*"${CUSTOM_INPUT}"\\s*:\\s*"`);
const HIGH_SURROGATE = "\\\\u[dD][89abAB][0-9a-fA-F]{2}";
/** What stands in a JSON string, up to its end or to an escape or half of a character that may still go on. */
const STRING_TEXT = new RegExp(
  `^(?:[^"\\\\\ud800-\udbff]|[\ud800-\udbff](?=[^])|\\\\[^u]` +
    `|${HIGH_SURROGATE}\\\\u[0-9a-fA-F]{4}|${HIGH_SURROGATE}(?=[^\\\\]|\\\\[^u])` +
    `|\\\\u(?![dD][89abAB])[0-9a-fA-F]{4})*`,
);

/** Reads the input of a custom tool from arguments that come in pieces: the text of their only member. */
export class CustomInputReader {
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

/** The input in whole arguments, or as far as these go. */
export function customInput(written: string): string {
  return new CustomInputReader().read(written);
}
