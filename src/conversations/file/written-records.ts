import { sumBy } from "../../core/sum-by.js";
import type { StoredItem } from "../conversation.js";
import type { Changes } from "../conversation-table.js";
import type { Group, WrittenItem } from "./journal-lines.js";

/** Tracks the live content of a file: items, and records of conversations. */
export class WrittenRecords<Item extends StoredItem> {
  readonly #items = new Map<Item, WrittenItem>();
  readonly #records = new Map<string, number>();
  #bytes = 0;

  /** Approximate size of the live content. */
  get bytes(): number {
    return this.#bytes;
  }

  numberOf(item: Item): number | undefined {
    return this.#items.get(item)?.number;
  }

  add({ items, records }: Group<Item>, changes: Changes<Item>): void {
    for (const [item, written] of items) {
      this.#items.set(item, written);
      this.#bytes += written.bytes;
    }
    for (const id of changes.keys()) {
      const bytes = records.get(id);
      this.#bytes += (bytes ?? 0) - (this.#records.get(id) ?? 0);
      if (bytes === undefined) this.#records.delete(id);
      else this.#records.set(id, bytes);
    }
  }

  forget(items: readonly Item[]): void {
    this.#bytes -= sumBy(items, (item) => this.#items.get(item)?.bytes ?? 0);
    for (const item of items) this.#items.delete(item);
  }
}
