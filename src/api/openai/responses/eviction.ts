/** What a store may hold, and for how long. */
export interface StoreLimits {
  readonly entries: number;
  /** Of the entries as JSON. */
  readonly bytes: number;
  /** Time after its last use, in milliseconds, for which an entry is kept. */
  readonly idleMs: number;
}

export interface EntryFacts {
  readonly key: string;
  readonly bytes: number;
  /** When it was used last, in milliseconds. */
  readonly usedAt: number;
}

/**
 * The keys of the entries to evict: those that nobody has used for the longest time, until the others
 * are within the limits.
 * @param entries in the order of their last use, oldest first
 * @param totals of all entries
 * @param now in milliseconds
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
