import type { EntryFacts, StoreSize } from "./eviction.js";

/** Entry of a store that several owners share. */
export interface OwnedEntry extends EntryFacts {
  readonly owner: string;
}

interface Owned<Entry> {
  readonly entries: Map<string, Entry>;
  items: number;
  bytes: number;
}

/** Entries of several owners, ordered by last use, oldest first, both overall and per owner. */
export class UseOrder<Entry extends OwnedEntry> {
  readonly #all = new Map<string, Entry>();
  readonly #owned = new Map<string, Owned<Entry>>();

  get(key: string): Entry | undefined {
    return this.#all.get(key);
  }

  all(): Iterable<Entry> {
    return this.#all.values();
  }

  /** Owners that have at least one entry. */
  owners(): Iterable<string> {
    return this.#owned.keys();
  }

  of(owner: string): Iterable<Entry> {
    return this.#owned.get(owner)?.entries.values() ?? [];
  }

  /** Returns the total size of an owner's entries. */
  sizeOf(owner: string): StoreSize {
    const owned = this.#owned.get(owner);
    if (owned === undefined) return { entries: 0, items: 0, bytes: 0 };
    return { entries: owned.entries.size, items: owned.items, bytes: owned.bytes };
  }

  /** Adds an entry as the most recently used one, replacing any entry with the same key. */
  put(entry: Entry): void {
    this.delete(entry.key);
    this.#all.set(entry.key, entry);
    const owned = this.#owned.get(entry.owner) ?? { entries: new Map(), items: 0, bytes: 0 };
    owned.entries.set(entry.key, entry);
    owned.items += entry.items;
    owned.bytes += entry.bytes;
    this.#owned.set(entry.owner, owned);
  }

  delete(key: string): Entry | undefined {
    const entry = this.#all.get(key);
    if (entry === undefined) return undefined;
    this.#all.delete(key);
    const owned = this.#owned.get(entry.owner);
    if (owned === undefined) return entry;
    owned.entries.delete(key);
    owned.items -= entry.items;
    owned.bytes -= entry.bytes;
    if (owned.entries.size === 0) this.#owned.delete(entry.owner);
    return entry;
  }
}
