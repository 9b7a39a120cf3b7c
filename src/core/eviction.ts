/** What a store may hold, and for how long. */
export interface StoreLimits {
  readonly entries: number;
  /** Total size of the entries as JSON, as `storedBytes` estimates it. */
  readonly bytes: number;
  /** Milliseconds after its last use for which an entry is kept. */
  readonly idleMs: number;
}

/** What decides whether an entry of a store is kept. */
export interface EntryFacts {
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
