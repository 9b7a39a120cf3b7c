import { GgufdError } from "./errors.js";
import type { StoreLimits, StoreSize } from "./eviction.js";

/**
 * Owners of stored data: the names of the API keys that may store something. The set may change at
 * any time.
 */
export interface StoreOwners {
  count(): number;
  has(owner: string): boolean;
}

/** Owners on a server without API keys: one owner with an empty name. */
export const keylessOwners: StoreOwners = { count: () => 1, has: (owner) => owner === "" };

/**
 * Maximum number of shares. More owners do not reduce the share: a large conversation still fits,
 * and the store grows.
 */
export const MAX_SHARES = 16;

/**
 * Returns the quota of each owner: an even share of the store, which is divided into at most 16
 * shares.
 */
export function computeQuota(
  { entries, items, bytes, idleMs }: StoreLimits,
  owners: number,
): StoreLimits {
  const shares = Math.min(Math.max(owners, 1), MAX_SHARES);
  return {
    entries: Math.floor(entries / shares),
    items: Math.floor(items / shares),
    bytes: Math.floor(bytes / shares),
    idleMs,
  };
}

/** Returns the limits of all owners together. */
export function computeTotalLimits(limits: StoreLimits, owners: number): StoreLimits {
  const quota = computeQuota(limits, owners);
  return {
    entries: Math.max(limits.entries, quota.entries * owners),
    items: Math.max(limits.items, quota.items * owners),
    bytes: Math.max(limits.bytes, quota.bytes * owners),
    idleMs: limits.idleMs,
  };
}

interface QuotaCheck {
  readonly kind: "conversation" | "response";
  readonly owner: string;
  readonly quota: Pick<StoreSize, "items" | "bytes">;
  /** Size of the conversation or response alone. */
  readonly size: Pick<StoreSize, "items" | "bytes">;
}

/**
 * Refuses a conversation or response that exceeds its owner's whole quota: evicting the owner's
 * other data would not help.
 * @throws {GgufdError} `storage_quota_exceeded`
 */
export function expectWithinQuota({ kind, owner, quota, size }: QuotaCheck): void {
  if (size.items <= quota.items && size.bytes <= quota.bytes) return;
  const quotaOwner = owner === "" ? "this server" : `the key '${owner}'`;
  throw new GgufdError(
    "storage_quota_exceeded",
    `The ${kind} cannot be stored: expected at most ${quota.bytes} bytes and ${quota.items} items, the quota of ${quotaOwner} for all its ${kind}s, got ${size.bytes} bytes and ${size.items} items.`,
  );
}
