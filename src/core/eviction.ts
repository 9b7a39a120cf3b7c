/** Size of a store, or its limit. */
export interface StoreSize {
  readonly entries: number;
  /** Items of all entries, counted once per entry that has them. */
  readonly items: number;
  /** Total size of the entries as JSON, as `estimateStoredBytes` returns it. */
  readonly bytes: number;
}

/** Limits on the size of a store and the age of its entries. */
export interface StoreLimits extends StoreSize {
  /** Time after its last use for which an entry is kept, in milliseconds. */
  readonly idleMs: number;
}

/** Properties that decide whether an entry is evicted. */
export interface EntryFacts {
  readonly key: string;
  readonly items: number;
  readonly bytes: number;
  /** Time of its last use, in milliseconds. */
  readonly usedAt: number;
}

/**
 * Selects the entries to evict: the least recently used ones, until the others are within the
 * limits.
 * @param entries in the order of their last use, oldest first
 * @param totals number and size of all entries
 * @param now the time in milliseconds
 * @returns their keys
 */
export function selectKeysToEvict(
  entries: Iterable<EntryFacts>,
  totals: StoreSize,
  limits: StoreLimits,
  now: number,
): readonly string[] {
  let { entries: remaining, items, bytes } = totals;
  const evictedKeys: string[] = [];
  for (const entry of entries) {
    const isWithinLimits = isWithin({ entries: remaining, items, bytes }, limits);
    if (isWithinLimits && now - entry.usedAt <= limits.idleMs) break;
    evictedKeys.push(entry.key);
    remaining--;
    items -= entry.items;
    bytes -= entry.bytes;
  }
  return evictedKeys;
}

export function isWithin(size: StoreSize, limits: StoreSize): boolean {
  const { entries, items, bytes } = limits;
  return size.entries <= entries && size.items <= items && size.bytes <= bytes;
}

/**
 * Selects the entries that have been idle for longer than a limit.
 * @param entries in the order of their last use, oldest first
 * @returns their keys
 */
export function selectIdleKeys(
  idleMs: number,
  entries: Iterable<EntryFacts>,
  now: number,
): readonly string[] {
  const idleKeys: string[] = [];
  for (const { key, usedAt } of entries) {
    if (now - usedAt <= idleMs) break;
    idleKeys.push(key);
  }
  return idleKeys;
}
