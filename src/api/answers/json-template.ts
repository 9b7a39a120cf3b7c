import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { oneLine } from "../../core/json.js";
import { PrintedItem } from "../../core/printed-item.js";

/** Stands for the text in the item that a template is made of; nobody else can write it. */
const HOLE = randomUUID();

/** What is printed at once: a longer text is left to those who print in turns. */
const MAX_TEXT_CHARACTERS = 4096;

/** Items of a stream that differ in one text: all else of them is printed once. */
export class JsonTemplate<Item extends object> {
  readonly #make: (text: string) => Item;
  readonly #like: Item;
  readonly #before: string;
  readonly #after: string;

  /** @param make an item with a text in it, which is one of its strings */
  constructor(make: (text: string) => Item) {
    this.#make = make;
    this.#like = make(HOLE);
    const parts = oneLine(JSON.stringify(this.#like)).split(`"${HOLE}"`);
    assert(parts.length === 2, "an item of a template has its text in one place");
    [this.#before = "", this.#after = ""] = parts;
  }

  /** The item with this text. */
  with(text: string): PrintedItem | Item {
    if (text.length > MAX_TEXT_CHARACTERS) return this.#make(text);
    const json = this.#before + oneLine(JSON.stringify(text)) + this.#after;
    return new PrintedItem(json, this.#like);
  }
}
