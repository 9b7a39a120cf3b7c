import { createHash, timingSafeEqual } from "node:crypto";
import type { ApiKey } from "../../core/api-keys.js";
import { type StoreOwners, withoutKeys } from "../../core/store-quota.js";
import { type Clock, KeyUsage } from "./key-usage.js";

interface Entry {
  readonly digest: Buffer;
  readonly usage: KeyUsage;
}

/** The keys of the server, which may be replaced while it runs. It knows their hashes only. */
export class KeyRing {
  readonly #now: Clock;
  #entries: readonly Entry[] = [];
  #storing: ReadonlySet<string> = new Set();
  /** Owners of what clients store: the keys that may store responses and conversations, as they are now. */
  readonly owners: StoreOwners = {
    count: () => (this.isEmpty ? withoutKeys.count() : this.#storing.size),
    has: (name) => (this.isEmpty ? withoutKeys.has(name) : this.#storing.has(name)),
  };

  /** @param now milliseconds on a monotonic clock */
  constructor(keys: readonly ApiKey[], now: Clock = () => performance.now()) {
    this.#now = now;
    this.replace(keys);
  }

  /** Without keys everything is open. */
  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** A key that stays keeps what it has used of its limits. */
  replace(keys: readonly ApiKey[]): void {
    this.#storing = new Set(keys.filter(mayStore).map(({ name }) => name));
    const known = new Map(this.#entries.map(({ usage }) => [usage.key.sha256, usage]));
    this.#entries = keys.map((key) => {
      const usage = known.get(key.sha256) ?? new KeyUsage(key, this.#now);
      usage.update(key);
      return { digest: Buffer.from(key.sha256, "hex"), usage };
    });
  }

  /**
   * The key that a client presents. The time that this takes depends on the number of keys alone: digests have
   * one length, and all of them are compared, in constant time each.
   */
  find(presented: string): KeyUsage | undefined {
    const candidate = createHash("sha256").update(presented).digest();
    let found: KeyUsage | undefined;
    for (const { digest, usage } of this.#entries) {
      if (timingSafeEqual(candidate, digest)) found = usage;
    }
    return found;
  }
}

function mayStore({ scopes, access }: ApiKey): boolean {
  return access === "full" && scopes.includes("inference");
}
