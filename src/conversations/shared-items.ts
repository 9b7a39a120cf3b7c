import assert from "node:assert/strict";
import { estimateStoredBytes } from "../core/stored-bytes.js";
import type { StoredItem } from "./conversation.js";

interface HeldItem {
  readonly bytes: number;
  holders: number;
}

/**
 * Reference-counted items of all conversations; each counts once, however many conversations have
 * it.
 */
export class SharedItems<Item extends StoredItem> {
  readonly #heldItems = new Map<Item, HeldItem>();
  #bytes = 0;

  /** Total size of all items. */
  get bytes(): number {
    return this.#bytes;
  }

  has(item: Item): boolean {
    return this.#heldItems.has(item);
  }

  /** Size of an item, which may be a new one. */
  bytesOf(item: Item): number {
    return this.#heldItems.get(item)?.bytes ?? estimateStoredBytes(item);
  }

  /**
   * Replaces the items that a conversation holds.
   * @returns the items that no conversation holds any more
   */
  exchange(before: readonly Item[], after: readonly Item[]): readonly Item[] {
    const kept = countCommonPrefix(before, after);
    for (const item of after.slice(kept)) this.#hold(item);
    return before.slice(kept).filter((item) => this.#release(item) === "gone");
  }

  #hold(item: Item): void {
    const held = this.#heldItems.get(item);
    if (held !== undefined) {
      held.holders++;
      return;
    }
    const bytes = estimateStoredBytes(item);
    this.#heldItems.set(item, { bytes, holders: 1 });
    this.#bytes += bytes;
  }

  #release(item: Item): "held" | "gone" {
    const held = this.#heldItems.get(item);
    assert(
      held !== undefined && held.holders > 0,
      "expected a held item, got one that was released",
    );
    held.holders--;
    if (held.holders > 0) return "held";
    this.#heldItems.delete(item);
    this.#bytes -= held.bytes;
    assert(this.#bytes >= 0);
    return "gone";
  }
}

/** Number of leading items that two lists share. */
export function countCommonPrefix<Item>(before: readonly Item[], after: readonly Item[]): number {
  let length = 0;
  const maxLength = Math.min(before.length, after.length);
  while (length < maxLength && before[length] === after[length]) length++;
  return length;
}
