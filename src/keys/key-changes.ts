import { isDeepStrictEqual } from "node:util";
import type { AttributeTexts } from "../config/keys/key-line.js";
import { type ApiKey, mayManageKeys } from "../core/api-keys.js";
import { createRefusal, GgufdError, shortenName } from "../core/errors.js";
import { preview } from "../validation/preview.js";
import type { Actor, KeyTable } from "./key-table.js";
import { type StoredKey, toManagedKey } from "./stored-key.js";

/*
 * Changes to a draft. A refused change throws and leaves the draft unmodified.
 */

/** Maximum number of keys: each request is compared with all of them. */
export const MAX_STORED_KEYS = 10_000;

/** Stored parts of a new value. */
export interface StoredValue {
  readonly sha256: string;
  readonly ending: string;
}

/** Facts that a change depends on. */
export interface ChangeContext {
  readonly actor: Actor;
  /** Current time, in milliseconds since 1970. */
  readonly now: number;
  /** Whether the configuration has a key that may manage the keys. */
  readonly hasConfiguredManager: boolean;
  /**
   * Expects that the server can apply the attributes of a key.
   * @throws {GgufdError}
   */
  readonly expectApplicable: (key: ApiKey) => void;
}

export interface NewStoredKey {
  readonly name: string;
  readonly value: StoredValue;
  readonly attributes: AttributeTexts;
  /** In milliseconds since 1970; undefined: never. */
  readonly expiresAt: number | undefined;
}

/** @throws {GgufdError} `key_conflict`, `storage_quota_exceeded`; that of `expectApplicable` */
export function addKey(
  draft: KeyTable,
  { name, value, attributes, expiresAt }: NewStoredKey,
  context: ChangeContext,
): StoredKey {
  if (draft.keys.has(name)) throw createTakenNameError(name);
  if (draft.keys.size >= MAX_STORED_KEYS) {
    throw new GgufdError(
      "storage_quota_exceeded",
      `The key cannot be stored: expected at most ${MAX_STORED_KEYS} keys, got one more.`,
    );
  }
  const key: StoredKey = {
    name,
    ...value,
    former: [],
    attributes,
    state: "enabled",
    createdAt: context.now,
    createdBy: context.actor.by,
    ...(expiresAt !== undefined && { expiresAt }),
  };
  return record(draft, "create", key, context);
}

/** Changed properties of a key; absent ones stay. */
export interface KeyUpdate {
  /** Undefined values are removed, which restores the default. */
  readonly attributes?: Readonly<Record<string, string | undefined>>;
  readonly state?: StoredKey["state"] | undefined;
  /** In milliseconds since 1970; null: never. */
  readonly expiresAt?: number | null | undefined;
}

/**
 * Changes properties of a key. An update without effect is not recorded.
 * @throws {GgufdError} `not_found`; `key_conflict` for the last key that may manage the keys; that
 *   of `expectApplicable`
 */
export function updateKey(
  draft: KeyTable,
  { name, update }: { readonly name: string; readonly update: KeyUpdate },
  context: ChangeContext,
): StoredKey {
  const before = locateKey(draft, name);
  const attributes = { ...before.attributes, ...update.attributes };
  const expiresAt = update.expiresAt === undefined ? before.expiresAt : update.expiresAt;
  const { expiresAt: _expiresAt, ...others } = before;
  const after: StoredKey = {
    ...others,
    attributes: Object.fromEntries(
      Object.entries(attributes).flatMap(([key, text]) =>
        text === undefined ? [] : [[key, text]],
      ),
    ),
    state: update.state ?? before.state,
    ...(typeof expiresAt === "number" && { expiresAt }),
  };
  if (isDeepStrictEqual(before, after)) return before;
  if (isManager(before) && !isManager(after)) expectOtherManager(draft, name, context);
  return record(draft, "update", after, context);
}

/**
 * Replaces the value of a key; the previous one is accepted until the grace period has ended.
 * @throws {GgufdError} `not_found`
 */
export function rotateKey(
  draft: KeyTable,
  {
    name,
    value,
    graceMs,
  }: { readonly name: string; readonly value: StoredValue; readonly graceMs: number },
  context: ChangeContext,
): StoredKey {
  const before = locateKey(draft, name);
  const former = [...before.former, { sha256: before.sha256, until: context.now + graceMs }];
  const after = {
    ...before,
    ...value,
    former: former.filter(({ until }) => until > context.now),
  };
  return record(draft, "rotate", after, context);
}

/** @throws {GgufdError} `not_found`; `key_conflict` for the last key that may manage the keys */
export function removeKey(draft: KeyTable, name: string, context: ChangeContext): void {
  if (isManager(locateKey(draft, name))) expectOtherManager(draft, name, context);
  const { actor, now } = context;
  draft.record({ ...actor, at: toTimestamp(now), action: "delete", name });
}

/** @throws {GgufdError} `not_found` */
export function locateKey(table: KeyTable, name: string): StoredKey {
  const key = table.keys.get(name);
  if (key === undefined) throw createUnknownKeyError(name);
  return key;
}

export function createUnknownKeyError(name: string): GgufdError {
  return new GgufdError("not_found", `No API key has the name ${preview(shortenName(name))}.`);
}

export function createTakenNameError(name: string): GgufdError {
  const reason = `expected a name that no other key has, got ${preview(name)}`;
  return createRefusal("key_conflict", [{ field: "name", reason }]);
}

function record(
  draft: KeyTable,
  action: "create" | "update" | "rotate",
  after: StoredKey,
  { actor, now, expectApplicable }: ChangeContext,
): StoredKey {
  // Attributes were checked where they were parsed; this asserts it before they are stored.
  expectApplicable(toManagedKey(after).key);
  draft.record({ ...actor, at: toTimestamp(now), action, name: after.name, after });
  return after;
}

/** Whether a key may manage the keys, now and later. */
function isManager(stored: StoredKey): boolean {
  const { key, state, expiresAt } = toManagedKey(stored);
  return state === "enabled" && expiresAt === undefined && mayManageKeys(key);
}

/** @throws {GgufdError} `key_conflict` if no other key may manage the keys */
function expectOtherManager(
  draft: KeyTable,
  name: string,
  { hasConfiguredManager }: ChangeContext,
): void {
  const others = [...draft.keys.values()].filter((key) => key.name !== name);
  if (hasConfiguredManager || others.some(isManager)) return;
  throw new GgufdError(
    "key_conflict",
    `The API key ${name} is the last one with the scope admin and full access: create another one first, which does not expire.`,
  );
}

function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
