import {
  type StoreLimits,
  type StoreSize,
  selectIdleKeys,
  selectKeysToEvict,
} from "../../core/eviction.js";
import { type OwnedEntry, UseOrder } from "../../core/use-order.js";

interface BoundedStoreOptions<Value> {
  /** Limits of each owner. */
  readonly quota: () => StoreLimits;
  /** Returns the size of a value, which must not change while it is stored. */
  readonly sizeOf: (value: Value) => Pick<StoreSize, "items" | "bytes">;
  /** Current time in milliseconds. */
  readonly now: () => number;
  /** Called with each value that was evicted, deleted or replaced. */
  readonly onRemoved: (value: Value) => void;
}

interface Entry<Value> extends OwnedEntry {
  readonly value: Value;
}

/** In-memory store of values by owner and key, with limits for each owner. */
export class BoundedStore<Value> {
  readonly #options: BoundedStoreOptions<Value>;
  readonly #entries = new UseOrder<Entry<Value>>();

  constructor(options: BoundedStoreOptions<Value>) {
    this.#options = options;
  }

  /** Finds a value, and marks it as used. */
  get(owner: string, key: string): Value | undefined {
    this.#dropIdle();
    const entry = this.#entries.get(toEntryKey(owner, key));
    if (entry === undefined) return undefined;
    this.#entries.put({ ...entry, usedAt: this.#options.now() });
    return entry.value;
  }

  /**
   * Stores a value, replacing any other with its key. Only values of the same owner are evicted to
   * make room. A value larger than the owner's quota is removed at once.
   */
  set(owner: string, key: string, value: Value): void {
    this.delete(owner, key);
    const { items, bytes } = this.#options.sizeOf(value);
    const quota = this.#options.quota();
    if (bytes > quota.bytes || items > quota.items) {
      this.#options.onRemoved(value);
      return;
    }
    const now = this.#options.now();
    this.#entries.put({ key: toEntryKey(owner, key), owner, value, items, bytes, usedAt: now });
    const excess = selectKeysToEvict(
      this.#entries.entriesOf(owner),
      this.#entries.sizeOf(owner),
      quota,
      now,
    );
    this.#drop(excess);
    this.#dropIdle();
  }

  /** @returns whether there was a value with the key */
  delete(owner: string, key: string): boolean {
    return this.#remove(toEntryKey(owner, key));
  }

  /**
   * Drops expired entries of all owners: an entry expires even if its owner sends no further
   * request.
   */
  #dropIdle(): void {
    const { quota, now } = this.#options;
    this.#drop(selectIdleKeys(quota().idleMs, this.#entries.listEntries(), now()));
  }

  #drop(keys: readonly string[]): void {
    for (const key of keys) this.#remove(key);
  }

  #remove(key: string): boolean {
    const entry = this.#entries.delete(key);
    if (entry !== undefined) this.#options.onRemoved(entry.value);
    return entry !== undefined;
  }
}

/** Joins owner and key. The result is unambiguous, because owner names contain no line breaks. */
function toEntryKey(owner: string, key: string): string {
  return `${owner}\n${key}`;
}
