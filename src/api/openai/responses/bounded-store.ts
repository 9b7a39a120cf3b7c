import assert from "node:assert/strict";
import { type EntryFacts, keysToEvict, type StoreLimits } from "../../../core/eviction.js";

interface BoundedStoreOptions<Value> {
  readonly limits: StoreLimits;
  /** The size of a value, which never changes. */
  readonly bytesOf: (value: Value) => number;
  /** The time in milliseconds. */
  readonly now: () => number;
  /** Called with what was evicted, deleted or replaced. */
  readonly onRemoved: (value: Value) => void;
}

interface Entry<Value> extends EntryFacts {
  readonly value: Value;
}

/** Values in memory, by key, within limits. */
export class BoundedStore<Value> {
  readonly #options: BoundedStoreOptions<Value>;
  /** In the order of their last use, oldest first. */
  readonly #entries = new Map<string, Entry<Value>>();
  #bytes = 0;

  constructor(options: BoundedStoreOptions<Value>) {
    this.#options = options;
  }

  /** Finds a value, and marks it as used. */
  get(key: string): Value | undefined {
    this.#evict();
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, { ...entry, usedAt: this.#options.now() });
    return entry.value;
  }

  /** Stores a value in place of any other with its key. One that is larger than the whole store is removed at once. */
  set(key: string, value: Value): void {
    this.delete(key);
    const bytes = this.#options.bytesOf(value);
    if (bytes > this.#options.limits.bytes) {
      this.#options.onRemoved(value);
      return;
    }
    this.#entries.set(key, { key, value, bytes, usedAt: this.#options.now() });
    this.#bytes += bytes;
    this.#evict();
  }

  /** @returns whether there was a value with the key */
  delete(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    assert(this.#entries.size === 0 ? this.#bytes === 0 : this.#bytes > 0);
    this.#options.onRemoved(entry.value);
    return true;
  }

  #evict(): void {
    const { limits, now } = this.#options;
    const totals = { entries: this.#entries.size, bytes: this.#bytes };
    for (const key of keysToEvict(this.#entries.values(), totals, limits, now())) this.delete(key);
  }
}
