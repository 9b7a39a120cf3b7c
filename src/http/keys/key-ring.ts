import { createHash, timingSafeEqual } from "node:crypto";
import type { ApiKey } from "../../core/api-keys.js";
import { keylessOwners, type StoreOwners } from "../../core/store-quota.js";
import type { BudgetLedger } from "./budget-ledger.js";
import { type Clock, KeyUsage } from "./key-usage.js";

interface Entry {
  readonly digest: Buffer;
  readonly usage: KeyUsage;
}

/** The API keys of the server, replaceable at run time. Stores only their hashes. */
export class KeyRing {
  readonly #now: Clock;
  readonly #ledger: BudgetLedger | undefined;
  #entries: readonly Entry[] = [];
  #ownerNames: ReadonlySet<string> = new Set();
  /** Owners of stored data: the current keys that may store answers, conversations or files. */
  readonly owners: StoreOwners = {
    count: () => (this.isEmpty ? keylessOwners.count() : this.#ownerNames.size),
    has: (name) => (this.isEmpty ? keylessOwners.has(name) : this.#ownerNames.has(name)),
  };

  /**
   * @param now milliseconds on a monotonic clock
   * @param ledger counts the usage of keys; `undefined`: no key has a budget
   */
  constructor(
    keys: readonly ApiKey[],
    now: Clock = () => performance.now(),
    ledger?: BudgetLedger,
  ) {
    this.#now = now;
    this.#ledger = ledger;
    this.replace(keys);
  }

  /** Whether there are no keys, in which case every route is open. */
  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Replaces all keys. A key that remains keeps its usage. */
  replace(keys: readonly ApiKey[]): void {
    this.#ownerNames = new Set(keys.filter(mayStore).map(({ name }) => name));
    const usageByHash = new Map(this.#entries.map(({ usage }) => [usage.key.sha256, usage]));
    this.#entries = keys.map((key) => {
      const usage = usageByHash.get(key.sha256) ?? this.createUsage(key);
      usage.update(key);
      return { digest: Buffer.from(key.sha256, "hex"), usage };
    });
  }

  /** Creates the usage of a key whose limits and budgets this ring counts. */
  createUsage(key: ApiKey): KeyUsage {
    return new KeyUsage(key, this.#now, this.#ledger);
  }

  /** Finds a key for work on behalf of its owner, which no client has to authenticate. */
  findByName(name: string): KeyUsage | undefined {
    return this.#entries.find(({ usage }) => usage.key.name === name)?.usage;
  }

  /**
   * Finds the key that a client presents. All digests have the same length and are compared in
   * constant time, so that the time depends only on the number of keys.
   */
  find(clientKey: string): KeyUsage | undefined {
    const candidate = createHash("sha256").update(clientKey).digest();
    let found: KeyUsage | undefined;
    for (const { digest, usage } of this.#entries) {
      if (timingSafeEqual(candidate, digest)) found = usage;
    }
    return found;
  }
}

function mayStore({ scopes, access }: ApiKey): boolean {
  return access === "full" && (scopes.includes("inference") || scopes.includes("batches"));
}
