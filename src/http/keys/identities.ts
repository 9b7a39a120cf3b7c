import { createHash } from "node:crypto";
import { type AccessRule, type Claims, findRule } from "../../core/access-rules.js";
import type { Permissions } from "../../core/api-keys.js";
import { GgufdError } from "../../core/errors.js";
import { type Identity, nameIdentity, type VerifyToken } from "../../core/identity.js";
import type { KeyUsage } from "./key-usage.js";

export interface IdentitiesOptions {
  readonly rules: readonly AccessRule[];
  /** Absent: tokens are not accepted. */
  readonly verify?: VerifyToken | undefined;
  readonly createUsage: (permissions: Permissions) => KeyUsage;
  /** Milliseconds since 1970. @default Date.now */
  readonly epochNow?: () => number;
  /** Maximum number of users and of tokens that are remembered. @default see below */
  readonly limits?: { readonly users: number; readonly tokens: number };
}

/**
 * Users and tokens that are remembered, the least recently used ones being forgotten: far more than
 * a server has users, and at most some tens of megabytes of claims.
 */
const LIMITS = { users: 4096, tokens: 8192 };

interface User {
  readonly claims: Claims;
  readonly usage: KeyUsage;
}

interface KnownToken {
  readonly identity: Identity;
  readonly permissions: Permissions;
  /** Milliseconds since 1970. */
  readonly validUntil: number;
}

/**
 * A client with the permissions of this request. Requests of one user may have different
 * permissions, by their tokens, and one usage of limits.
 */
export interface Identified {
  readonly key: Permissions;
  readonly usage: KeyUsage;
}

/** User and groups that an authenticating proxy names. */
export interface ProxyUser {
  readonly user: string;
  readonly groups: readonly string[];
}

/**
 * Clients that another system has authenticated, with the permissions that the access rules grant
 * them. A token is verified once in a while, and found by its hash in between. The usage of limits
 * belongs to the user, whatever tokens the user has.
 */
export class Identities {
  readonly #options: IdentitiesOptions;
  readonly #epochNow: () => number;
  readonly #users: RecentMap<User>;
  readonly #tokens: RecentMap<KnownToken>;
  #rules: readonly AccessRule[];

  constructor(options: IdentitiesOptions) {
    const { rules, epochNow = Date.now, limits = LIMITS } = options;
    this.#options = options;
    this.#rules = rules;
    this.#epochNow = epochNow;
    this.#users = new RecentMap(limits.users);
    this.#tokens = new RecentMap(limits.tokens);
  }

  /** Number of users that are known. */
  get size(): number {
    return this.#users.size;
  }

  /** Whether a presented key may be a token to verify. */
  acceptsToken(presented: string): boolean {
    return this.#options.verify !== undefined && isTokenLike(presented);
  }

  /**
   * Identifies the user of a token.
   * @throws {GgufdError} `invalid_api_key`, `permission_denied`, `identity_unavailable`
   */
  async identifyToken(token: string): Promise<Identified> {
    const digest = createHash("sha256").update(token).digest("base64");
    const known = this.#tokens.get(digest);
    if (known !== undefined && this.#epochNow() < known.validUntil) {
      return this.#use(known.identity, known.permissions);
    }
    const { verify } = this.#options;
    if (verify === undefined) throw new GgufdError("invalid_api_key", "Invalid API key.");
    const { validUntil, ...identity } = await verify(token);
    const permissions = this.#grant(identity);
    this.#tokens.set(digest, { identity, permissions, validUntil });
    return this.#use(identity, permissions);
  }

  /**
   * Identifies the user that a trusted proxy names.
   * @throws {GgufdError} `invalid_api_key`, `permission_denied`
   */
  identifyUser({ user, groups }: ProxyUser): Identified {
    const name = nameIdentity("header", user);
    if (name === undefined) {
      throw new GgufdError("invalid_api_key", "The proxy names a user that is no valid name.");
    }
    const known = this.#users.get(name);
    const claims = { sub: user, groups };
    const isUnchanged =
      known !== undefined && JSON.stringify(known.claims) === JSON.stringify(claims);
    if (isUnchanged) return { key: known.usage.key, usage: known.usage };
    return this.#use({ name, claims }, this.#grant({ name, claims }));
  }

  /** Finds a user for work on the user's behalf; `undefined`: not seen since the start. */
  findByName(name: string): KeyUsage | undefined {
    return this.#users.get(name)?.usage;
  }

  /** Replaces the rules, for known users as well. */
  replaceRules(rules: readonly AccessRule[]): void {
    this.#rules = rules;
    this.#tokens.clear();
    for (const [name, { claims, usage }] of this.#users.entries()) {
      const permissions = this.#findPermissions({ name, claims });
      if (permissions === undefined) this.#users.delete(name);
      else usage.update(permissions);
    }
  }

  #use(identity: Identity, permissions: Permissions): Identified {
    const { name, claims } = identity;
    const known = this.#users.get(name)?.usage;
    if (known !== undefined && known.key !== permissions) known.update(permissions);
    const usage = known ?? this.#options.createUsage(permissions);
    this.#users.set(name, { claims, usage });
    return { key: permissions, usage };
  }

  /** @throws {GgufdError} `permission_denied` */
  #grant(identity: Identity): Permissions {
    const permissions = this.#findPermissions(identity);
    if (permissions !== undefined) return permissions;
    this.#users.delete(identity.name);
    throw new GgufdError(
      "permission_denied",
      `${identity.name} may not use this server: no access rule grants it anything.`,
    );
  }

  #findPermissions({ name, claims }: Identity): Permissions | undefined {
    const outcome = findRule(this.#rules, claims)?.outcome;
    return outcome?.type === "grant" ? { ...outcome.grant, name } : undefined;
  }
}

/**
 * Whether a text has the form of a JSON Web Token: three parts, the first of which is a JSON
 * object; the last one is empty in a token without a signature.
 */
function isTokenLike(text: string): boolean {
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(text);
}

/** A map that forgets the least recently used entry beyond a maximum. */
class RecentMap<Value> {
  readonly #max: number;
  readonly #entries = new Map<string, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#max) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** A copy, which stays valid while the map changes. */
  entries(): readonly (readonly [key: string, value: Value])[] {
    return [...this.#entries];
  }
}
