import type { EntryFacts, StoreSize } from "./eviction.js";

/** Entry of a store that several owners share. */
export interface OwnedEntry extends EntryFacts {
  readonly owner: string;
}

interface OwnerEntries<Entry> {
  readonly entries: Map<string, Entry>;
  items: number;
  bytes: number;
}

/** Entries of several owners, ordered by last use, oldest first, both overall and per owner. */
export class UseOrder<Entry extends OwnedEntry> {
  readonly #entriesByKey = new Map<string, Entry>();
  readonly #entriesByOwner = new Map<string, OwnerEntries<Entry>>();

  get(key: string): Entry | undefined {
    return this.#entriesByKey.get(key);
  }

  listEntries(): Iterable<Entry> {
    return this.#entriesByKey.values();
  }

  /** Owners that have at least one entry. */
  owners(): Iterable<string> {
    return this.#entriesByOwner.keys();
  }

  entriesOf(owner: string): Iterable<Entry> {
    return this.#entriesByOwner.get(owner)?.entries.values() ?? [];
  }

  /** Returns the total size of an owner's entries. */
  sizeOf(owner: string): StoreSize {
    const owned = this.#entriesByOwner.get(owner);
    if (owned === undefined) return { entries: 0, items: 0, bytes: 0 };
    return { entries: owned.entries.size, items: owned.items, bytes: owned.bytes };
  }

  /** Adds an entry as the most recently used one, replacing any entry with the same key. */
  put(entry: Entry): void {
    this.delete(entry.key);
    this.#entriesByKey.set(entry.key, entry);
    const owned = this.#entriesByOwner.get(entry.owner) ?? {
      entries: new Map(),
      items: 0,
      bytes: 0,
    };
    owned.entries.set(entry.key, entry);
    owned.items += entry.items;
    owned.bytes += entry.bytes;
    this.#entriesByOwner.set(entry.owner, owned);
  }

  delete(key: string): Entry | undefined {
    const entry = this.#entriesByKey.get(key);
    if (entry === undefined) return undefined;
    this.#entriesByKey.delete(key);
    const owned = this.#entriesByOwner.get(entry.owner);
    if (owned === undefined) return entry;
    owned.entries.delete(key);
    owned.items -= entry.items;
    owned.bytes -= entry.bytes;
    if (owned.entries.size === 0) this.#entriesByOwner.delete(entry.owner);
    return entry;
  }
}
