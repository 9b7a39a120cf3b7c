import assert from "node:assert/strict";
import { storedBytes } from "../core/stored-bytes.js";
import type { KeptItem } from "./conversation.js";

interface Held {
  readonly bytes: number;
  holders: number;
}

/**
 * Reference-counted items of all conversations; each counts once, however many conversations have
 * it.
 */
export class SharedItems<Item extends KeptItem> {
  readonly #held = new Map<Item, Held>();
  #bytes = 0;

  /** Total size of all items. */
  get bytes(): number {
    return this.#bytes;
  }

  has(item: Item): boolean {
    return this.#held.has(item);
  }

  /** Size of an item, which may be a new one. */
  bytesOf(item: Item): number {
    return this.#held.get(item)?.bytes ?? storedBytes(item);
  }

  /**
   * Replaces the items that a conversation holds.
   * @returns the items that no conversation holds any more
   */
  exchange(before: readonly Item[], after: readonly Item[]): readonly Item[] {
    const kept = commonPrefix(before, after);
    for (const item of after.slice(kept)) this.#hold(item);
    return before.slice(kept).filter((item) => this.#release(item) === "gone");
  }

  #hold(item: Item): void {
    const held = this.#held.get(item);
    if (held !== undefined) {
      held.holders++;
      return;
    }
    const bytes = storedBytes(item);
    this.#held.set(item, { bytes, holders: 1 });
    this.#bytes += bytes;
  }

  #release(item: Item): "held" | "gone" {
    const held = this.#held.get(item);
    assert(
      held !== undefined && held.holders > 0,
      "expected a held item, got one that was released",
    );
    held.holders--;
    if (held.holders > 0) return "held";
    this.#held.delete(item);
    this.#bytes -= held.bytes;
    assert(this.#bytes >= 0);
    return "gone";
  }
}

/** Number of leading items that two lists share. */
export function commonPrefix<Item>(before: readonly Item[], after: readonly Item[]): number {
  let length = 0;
  const most = Math.min(before.length, after.length);
  while (length < most && before[length] === after[length]) length++;
  return length;
}
