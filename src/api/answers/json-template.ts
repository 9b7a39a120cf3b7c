import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { escapeLineBreaks } from "../../core/json.js";
import { PrintedItem } from "../../core/printed-item.js";

/** Placeholder for the text in a template's item. It is random, so that no client can send it. */
const PLACEHOLDER = randomUUID();

/**
 * Longest text that is serialised at once. Items with longer texts are left to the incremental
 * serialiser.
 */
const MAX_TEXT_CHARACTERS = 4096;

/** Template for stream items that differ in one text: the rest is serialised once. */
export class JsonTemplate<Item extends object> {
  readonly #createItem: (text: string) => Item;
  readonly #sample: Item;
  readonly #prefix: string;
  readonly #suffix: string;

  /** @param make creates an item that contains the text as one of its strings */
  constructor(make: (text: string) => Item) {
    this.#createItem = make;
    this.#sample = make(PLACEHOLDER);
    const parts = escapeLineBreaks(JSON.stringify(this.#sample)).split(`"${PLACEHOLDER}"`);
    assert(parts.length === 2, "an item of a template must contain its text exactly once");
    [this.#prefix = "", this.#suffix = ""] = parts;
  }

  /** Creates the item with this text. */
  render(text: string): PrintedItem | Item {
    if (text.length > MAX_TEXT_CHARACTERS) return this.#createItem(text);
    const json = this.#prefix + escapeLineBreaks(JSON.stringify(text)) + this.#suffix;
    return new PrintedItem(json, this.#sample);
  }
}
