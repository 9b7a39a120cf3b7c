/** How much a store holds, or may hold. */
export interface StoreSize {
  readonly entries: number;
  /** Items of all entries, each as often as entries have it. */
  readonly items: number;
  /** Total size of the entries as JSON, as `storedBytes` estimates it. */
  readonly bytes: number;
}

/** What a store may hold, and for how long. */
export interface StoreLimits extends StoreSize {
  /** Milliseconds after its last use for which an entry is kept. */
  readonly idleMs: number;
}

/** What decides whether an entry of a store is kept. */
export interface EntryFacts {
  readonly key: string;
  readonly items: number;
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
  totals: StoreSize,
  limits: StoreLimits,
  now: number,
): readonly string[] {
  let { entries: remaining, items, bytes } = totals;
  const evicted: string[] = [];
  for (const entry of entries) {
    const isWithinLimits = isWithin({ entries: remaining, items, bytes }, limits);
    if (isWithinLimits && now - entry.usedAt <= limits.idleMs) break;
    evicted.push(entry.key);
    remaining--;
    items -= entry.items;
    bytes -= entry.bytes;
  }
  return evicted;
}

export function isWithin(size: StoreSize, limits: StoreSize): boolean {
  const { entries, items, bytes } = limits;
  return size.entries <= entries && size.items <= items && size.bytes <= bytes;
}

/**
 * The keys of the entries that have not been used for a time.
 * @param entries in the order of their last use, oldest first
 */
export function keysIdleFor(
  idleMs: number,
  entries: Iterable<EntryFacts>,
  now: number,
): readonly string[] {
  const idle: string[] = [];
  for (const { key, usedAt } of entries) {
    if (now - usedAt <= idleMs) break;
    idle.push(key);
  }
  return idle;
}
