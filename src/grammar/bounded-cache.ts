import assert from "node:assert/strict";

/** Cache with least-recently-used eviction that bounds the total size of its values. */
export class BoundedCache<Key, Value> {
  readonly #maxSize: number;
  readonly #sizeOf: (value: Value) => number;
  readonly #entries = new Map<Key, Value>();
  #size = 0;

  constructor(maxSize: number, sizeOf: (value: Value) => number) {
    assert(maxSize > 0, "the capacity of a cache must be positive");
    this.#maxSize = maxSize;
    this.#sizeOf = sizeOf;
  }

  /** Returns the value of a key, computing it if it is not cached. */
  get(key: Key, compute: () => Value): Value {
    let value = this.#entries.get(key);
    if (value === undefined) {
      value = compute();
      const size = this.#sizeOf(value);
      assert(size >= 0, "the size of a value must not be negative");
      this.#size += size;
    } else this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#evict();
    return value;
  }

  #evict(): void {
    for (const [key, value] of this.#entries) {
      if (this.#size <= this.#maxSize || this.#entries.size === 1) return;
      this.#entries.delete(key);
      this.#size -= this.#sizeOf(value);
    }
  }
}
