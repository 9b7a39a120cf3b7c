import { keysIdleFor, keysToEvict, type StoreLimits, type StoreSize } from "../../core/eviction.js";
import { type OwnedEntry, UseOrder } from "../../core/use-order.js";

interface BoundedStoreOptions<Value> {
  /** What each owner may store. */
  readonly quota: () => StoreLimits;
  /** The size of a value, which never changes. */
  readonly sizeOf: (value: Value) => Pick<StoreSize, "items" | "bytes">;
  /** The time in milliseconds. */
  readonly now: () => number;
  /** Called with what was evicted, deleted or replaced. */
  readonly onRemoved: (value: Value) => void;
}

interface Entry<Value> extends OwnedEntry {
  readonly value: Value;
}

/** Values in memory, by owner and key, within limits of each owner. */
export class BoundedStore<Value> {
  readonly #options: BoundedStoreOptions<Value>;
  readonly #entries = new UseOrder<Entry<Value>>();

  constructor(options: BoundedStoreOptions<Value>) {
    this.#options = options;
  }

  /** Finds a value, and marks it as used. */
  get(owner: string, key: string): Value | undefined {
    this.#dropIdle();
    const entry = this.#entries.get(entryKey(owner, key));
    if (entry === undefined) return undefined;
    this.#entries.put({ ...entry, usedAt: this.#options.now() });
    return entry.value;
  }

  /**
   * Stores a value in place of any other with its key. Only values of the same owner make room for it. One that is larger
   * than the owner's quota is removed at once.
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
    this.#entries.put({ key: entryKey(owner, key), owner, value, items, bytes, usedAt: now });
    const excess = keysToEvict(this.#entries.of(owner), this.#entries.sizeOf(owner), quota, now);
    this.#drop(excess);
    this.#dropIdle();
  }

  /** @returns whether there was a value with the key */
  delete(owner: string, key: string): boolean {
    return this.#remove(entryKey(owner, key));
  }

  /** Drops expired entries of all owners: an entry expires even if its owner sends no further request. */
  #dropIdle(): void {
    const { quota, now } = this.#options;
    this.#drop(keysIdleFor(quota().idleMs, this.#entries.all(), now()));
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

/** Unambiguous, because no owner's name contains a line break. */
function entryKey(owner: string, key: string): string {
  return `${owner}\n${key}`;
}
