import type { StoredItem } from "./response-schema.js";

/** The items of one owner by their ids, for as long as something stored has them. */
export class ItemIndex {
  readonly #items = new Map<string, { readonly item: StoredItem; holders: number }>();

  /** An item that is already known stays as it is: a client cannot replace what another refers to. */
  add(items: readonly StoredItem[]): void {
    for (const item of items) {
      const known = this.#items.get(item.id);
      if (known === undefined) this.#items.set(item.id, { item, holders: 1 });
      else known.holders++;
    }
  }

  remove(items: readonly StoredItem[]): void {
    for (const { id } of items) {
      const known = this.#items.get(id);
      if (known !== undefined && --known.holders === 0) this.#items.delete(id);
    }
  }

  find(id: string): StoredItem | undefined {
    return this.#items.get(id)?.item;
  }
}
