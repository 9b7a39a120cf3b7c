import assert from "node:assert/strict";
import type { StoredKey } from "./stored-key.js";

export const keyActions = ["create", "update", "rotate", "delete"] as const;

/** Author of a change. */
export interface Actor {
  /** Name of an API key, or a command. */
  readonly by: string;
  /** Address of the client; absent: the change was made by a command on this machine. */
  readonly from?: string | undefined;
}

/** A change of a key. */
export interface KeyChange extends Actor {
  /** RFC 3339 in UTC, with milliseconds. */
  readonly at: string;
  readonly action: (typeof keyActions)[number];
  readonly name: string;
  /** The key after the change; absent: it was deleted. */
  readonly after?: StoredKey | undefined;
}

/** A change in the audit log. */
export interface AuditEntry extends KeyChange {
  /** Position in the log, from 1. */
  readonly number: number;
  /** The key before the change; absent: it was created. */
  readonly before?: StoredKey | undefined;
}

/** The stored keys, and the changes that led to them. A draft is a copy. */
export class KeyTable {
  readonly #keys: Map<string, StoredKey>;
  readonly #entries: AuditEntry[];

  constructor(original?: KeyTable) {
    this.#keys = new Map(original?.keys);
    this.#entries = [...(original?.entries ?? [])];
  }

  /** By name, in the order of their creation. */
  get keys(): ReadonlyMap<string, StoredKey> {
    return this.#keys;
  }

  /** Oldest first. */
  get entries(): readonly AuditEntry[] {
    return this.#entries;
  }

  /** Applies a change and adds it to the log. Throws for a change that the keys do not permit. */
  record(change: KeyChange): void {
    const { action, name, after } = change;
    const before = this.#keys.get(name);
    const isCreation = action === "create";
    assert((before === undefined) === isCreation, `${action} of ${name}: wrong order of changes`);
    assert((after === undefined) === (action === "delete"), `${action} of ${name}: wrong content`);
    if (after === undefined) this.#keys.delete(name);
    else this.#keys.set(name, after);
    this.#entries.push({ ...change, number: this.#entries.length + 1, before });
  }
}
