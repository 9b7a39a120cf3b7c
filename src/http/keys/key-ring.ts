import { createHash, timingSafeEqual } from "node:crypto";
import type { ApiKey, Permissions } from "../../core/api-keys.js";
import { isIdentityName } from "../../core/identity.js";
import { keylessOwners, MAX_SHARES, type StoreOwners } from "../../core/store-quota.js";
import type { BudgetLedger } from "./budget-ledger.js";
import type { Identities } from "./identities.js";
import { type Clock, KeyUsage } from "./key-usage.js";

interface Entry {
  readonly digest: Buffer;
  readonly usage: KeyUsage;
}

/**
 * The API keys of the server, replaceable at run time, and the identities that need no key. Stores
 * only hashes of keys.
 */
export class KeyRing {
  readonly #now: Clock;
  readonly #ledger: BudgetLedger | undefined;
  #identities: Identities | undefined;
  #entries: readonly Entry[] = [];
  #ownerNames: ReadonlySet<string> = new Set();
  /**
   * Owners of stored data: the current keys that may store answers, conversations or files, and all
   * identities, which are not known before they send a request.
   */
  readonly owners: StoreOwners = {
    count: () => (this.isEmpty ? keylessOwners.count() : this.#countOwners()),
    has: (name) => (this.isEmpty ? keylessOwners.has(name) : this.#hasOwner(name)),
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

  /** Whether there are neither keys nor identities, in which case every route is open. */
  get isEmpty(): boolean {
    return this.#entries.length === 0 && this.#identities === undefined;
  }

  /** Clients that need no key; `undefined`: there are none. */
  get identities(): Identities | undefined {
    return this.#identities;
  }

  /** Accepts clients that another system has authenticated, in addition to keys. */
  acceptIdentities(identities: Identities): void {
    this.#identities = identities;
  }

  /** Replaces all keys. A key that remains keeps its usage. */
  replace(keys: readonly ApiKey[]): void {
    this.#ownerNames = new Set(keys.filter(mayStore).map(({ name }) => name));
    const usageByHash = new Map(
      this.#entries.map(({ digest, usage }) => [digest.toString("hex"), usage]),
    );
    this.#entries = keys.map((key) => {
      const usage = usageByHash.get(key.sha256) ?? this.createUsage(key);
      usage.update(key);
      return { digest: Buffer.from(key.sha256, "hex"), usage };
    });
  }

  /** Creates the usage of a client whose limits and budgets this ring counts. */
  createUsage(key: Permissions): KeyUsage {
    return new KeyUsage(key, this.#now, this.#ledger);
  }

  /** Finds a key or user for work on behalf of its owner, which no client has to authenticate. */
  findByName(name: string): KeyUsage | undefined {
    return (
      this.#entries.find(({ usage }) => usage.key.name === name)?.usage ??
      this.#identities?.findByName(name)
    );
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

  #countOwners(): number {
    const { size } = this.#ownerNames;
    // Shares that do not shrink with each further user.
    return this.#identities === undefined
      ? size
      : Math.max(MAX_SHARES, size + this.#identities.size);
  }

  #hasOwner(name: string): boolean {
    return this.#ownerNames.has(name) || (this.#identities !== undefined && isIdentityName(name));
  }
}

function mayStore({ scopes, access }: ApiKey): boolean {
  return access === "full" && (scopes.includes("inference") || scopes.includes("batches"));
}
