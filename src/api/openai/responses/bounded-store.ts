import assert from "node:assert/strict";

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

/** What a store may hold, and for how long. */
export interface StoreLimits {
  readonly entries: number;
  /** Total size of the entries as JSON, as `storedBytes` estimates it. */
  readonly bytes: number;
  /** Milliseconds after its last use for which an entry is kept. */
  readonly idleMs: number;
}

interface EntryFacts {
  readonly key: string;
  readonly bytes: number;
  /** Time of its last use, in milliseconds. */
  readonly usedAt: number;
}

/**
 * The keys of the entries to evict: the least recently used ones, until the others are within the
 * limits.
 * @param entries in the order of their last use, oldest first
 * @param totals number and size of all entries
 * @param now the time in milliseconds
 */
export function keysToEvict(
  entries: Iterable<EntryFacts>,
  totals: Pick<StoreLimits, "entries" | "bytes">,
  limits: StoreLimits,
  now: number,
): readonly string[] {
  let { entries: remaining, bytes } = totals;
  assert(remaining >= 0 && bytes >= 0);
  const evicted: string[] = [];
  for (const entry of entries) {
    const isWithinLimits = remaining <= limits.entries && bytes <= limits.bytes;
    if (isWithinLimits && now - entry.usedAt <= limits.idleMs) break;
    evicted.push(entry.key);
    remaining--;
    bytes -= entry.bytes;
  }
  return evicted;
}

/** Approximate size of a number, a boolean or null. */
const SCALAR_BYTES = 8;
/** Overhead of a string, an array or an object: quotes, brackets, commas. */
const FRAME_BYTES = 3;

/**
 * The size of a value in a store: roughly its length as JSON, in bytes. It is not serialised for that: serialising
 * megabytes would block the event loop for all other clients.
 * @param value plain data, or an object with `toJSON`
 */
export function storedBytes(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value) + FRAME_BYTES;
  if (typeof value !== "object" || value === null) return SCALAR_BYTES;
  if ("toJSON" in value && typeof value.toJSON === "function") return storedBytes(value.toJSON());
  let bytes = FRAME_BYTES;
  if (Array.isArray(value)) {
    for (const item of value) bytes += storedBytes(item);
    return bytes;
  }
  // Object.entries would allocate an array for each member.
  for (const key in value) {
    const member: unknown = value[key as keyof typeof value];
    if (member !== undefined) bytes += key.length + FRAME_BYTES + storedBytes(member);
  }
  return bytes;
}
