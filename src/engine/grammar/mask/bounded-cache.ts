/** A cache that forgets what was used least recently, by a budget of bytes. */
export class BoundedCache<Key, Value> {
  readonly #maxBytes: number;
  readonly #bytesOf: (value: Value) => number;
  readonly #entries = new Map<Key, Value>();
  #bytes = 0;

  constructor(maxBytes: number, bytesOf: (value: Value) => number) {
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
  }

  /** The value of a key, computed when it is not there. */
  get(key: Key, compute: () => Value): Value {
    let value = this.#entries.get(key);
    if (value === undefined) {
      value = compute();
      this.#bytes += this.#bytesOf(value);
    } else this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#evict();
    return value;
  }

  #evict(): void {
    for (const [key, value] of this.#entries) {
      if (this.#bytes <= this.#maxBytes || this.#entries.size === 1) return;
      this.#entries.delete(key);
      this.#bytes -= this.#bytesOf(value);
    }
  }
}
