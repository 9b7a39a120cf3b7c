import { createHash, timingSafeEqual } from "node:crypto";
import type { ApiKey, ManagedKey, Permissions } from "../../core/api-keys.js";
import { GgufdError } from "../../core/errors.js";
import { isIdentityName } from "../../core/identity.js";
import { keylessOwners, MAX_SHARES, type StoreOwners } from "../../core/store-quota.js";
import type { BudgetLedger } from "./budget-ledger.js";
import type { Identities } from "./identities.js";
import { type Clock, KeyUsage } from "./key-usage.js";

/** Value that a client may present. */
interface Entry {
  readonly digest: Buffer;
  readonly usage: KeyUsage;
  /** Time until which a former value is accepted; undefined: the current value of the key. */
  readonly until: number | undefined;
}

/**
 * The API keys of the server, of the configuration and of the key store, replaceable at run time,
 * and the identities that need no key. Stores only hashes of keys. Names are unique.
 */
export class KeyRing {
  readonly #now: Clock;
  readonly #ledger: BudgetLedger | undefined;
  #identities: Identities | undefined;
  #configured: readonly ApiKey[] = [];
  /** Undefined: the server has no key store. */
  #stored: readonly ManagedKey[] | undefined;
  /** By the identity of the key, see {@link KeyRing.replace} and {@link KeyRing.replaceStored}. */
  #usages: ReadonlyMap<string, KeyUsage> = new Map();
  #byName: ReadonlyMap<string, KeyUsage> = new Map();
  #entries: readonly Entry[] = [];
  #ownerNames: ReadonlySet<string> = new Set();
  /**
   * Owners of stored data: the keys that may store answers, conversations or files, also while they
   * are disabled, and all identities, which are not known before they send a request.
   */
  readonly owners: StoreOwners = {
    count: () => (this.isOpen ? keylessOwners.count() : this.#countOwners()),
    has: (name) => (this.isOpen ? keylessOwners.has(name) : this.#hasOwner(name)),
  };

  /**
   * @param keys keys of the configuration
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

  /** Whether every route is open: there are no keys, no store that could have some, no identities. */
  get isOpen(): boolean {
    return (
      this.#stored === undefined && this.#entries.length === 0 && this.#identities === undefined
    );
  }

  /** Clients that need no key; `undefined`: there are none. */
  get identities(): Identities | undefined {
    return this.#identities;
  }

  /** Accepts clients that another system has authenticated, in addition to keys. */
  acceptIdentities(identities: Identities): void {
    this.#identities = identities;
  }

  /** All keys, those of the configuration first. */
  get usages(): readonly KeyUsage[] {
    return [...this.#usages.values()];
  }

  /** Replaces the keys of the configuration. A key whose value remains keeps its usage. */
  replace(keys: readonly ApiKey[]): void {
    this.#configured = keys;
    this.#rebuild();
  }

  /**
   * Replaces the keys of the key store. A key whose name remains keeps its usage. From the first
   * call on, the routes require keys even if there are none.
   */
  replaceStored(keys: readonly ManagedKey[]): void {
    this.#stored = keys;
    this.#rebuild();
  }

  #rebuild(): void {
    const configured = this.#configured.map((key) => ({
      managed: { key, state: "enabled", former: [] } satisfies ManagedKey,
      id: key.sha256,
    }));
    const stored =
      this.#stored?.map((managed) => ({ managed, id: `store ${managed.key.name}` })) ?? [];
    const usages = new Map<string, KeyUsage>();
    const entries: Entry[] = [];
    for (const { managed, id } of [...configured, ...stored]) {
      const { key } = managed;
      const usage = this.#usages.get(id) ?? this.createUsage(key);
      usage.update(key);
      usage.setAvailability(managed);
      usages.set(id, usage);
      entries.push({ digest: Buffer.from(key.sha256, "hex"), usage, until: undefined });
      for (const { sha256, until } of managed.former) {
        entries.push({ digest: Buffer.from(sha256, "hex"), usage, until });
      }
    }
    this.#usages = usages;
    this.#entries = entries;
    this.#byName = new Map(this.usages.map((usage) => [usage.key.name, usage]));
    const owners = this.usages.filter(({ key }) => mayStore(key));
    this.#ownerNames = new Set(owners.map(({ key }) => key.name));
  }

  /** Creates the usage of a client whose limits and budgets this ring counts. */
  createUsage(key: Permissions): KeyUsage {
    return new KeyUsage(key, this.#now, this.#ledger);
  }

  /** Finds a key by its name, which may be disabled or expired. */
  findKey(name: string): KeyUsage | undefined {
    return this.#byName.get(name);
  }

  /**
   * Finds a key or user for work on behalf of its owner, which no client has to authenticate. A key
   * may be disabled or expired.
   */
  findByName(name: string): KeyUsage | undefined {
    return this.findKey(name) ?? this.#identities?.findByName(name);
  }

  /**
   * Finds the key that a client presents. All digests have the same length and are compared in
   * constant time, so that the time depends only on the number of keys.
   * @throws {GgufdError} `invalid_api_key` for a value that was replaced, and for a key that is
   *   disabled or expired
   */
  find(clientKey: string): KeyUsage | undefined {
    const candidate = createHash("sha256").update(clientKey).digest();
    let found: Entry | undefined;
    for (const entry of this.#entries) {
      if (timingSafeEqual(candidate, entry.digest)) found = entry;
    }
    if (found === undefined) return undefined;
    const { usage, until } = found;
    usage.expectUsable();
    if (until !== undefined && until <= Date.now()) {
      throw new GgufdError(
        "invalid_api_key",
        `The API key ${usage.key.name} has a new value: use that one.`,
      );
    }
    return usage;
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

function mayStore({ scopes, access }: Permissions): boolean {
  return access === "full" && (scopes.includes("inference") || scopes.includes("batches"));
}
