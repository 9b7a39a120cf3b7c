import type { ApiKey } from "../core/api-keys.js";
import { createShutdownError } from "../core/errors.js";
import type { ExclusiveFilePorts } from "../files/exclusive-file.js";
import { GroupCommit } from "../files/group-commit.js";
import { createUnusableDataError } from "../files/locked-data.js";
import {
  addKey,
  type ChangeContext,
  type KeyUpdate,
  type NewStoredKey,
  removeKey,
  rotateKey,
  type StoredValue,
  updateKey,
} from "./key-changes.js";
import { KeyFile } from "./key-file.js";
import { type Actor, type AuditEntry, KeyTable } from "./key-table.js";
import { type StoredKey, toManagedKey } from "./stored-key.js";

export interface KeyStoreOptions {
  /** Whether the configuration has a key that may manage the keys; it may change at any time. */
  readonly hasConfiguredManager: () => boolean;
  /** Called with all keys when a change is durable, before it is acknowledged. */
  readonly onChange: (keys: readonly StoredKey[]) => void;
  /**
   * Expects that the server can apply the attributes of a new or changed key.
   * @throws {GgufdError} naming the attribute
   * @default accepts all
   */
  readonly expectApplicable?: (key: ApiKey) => void;
  /** Milliseconds since 1970. @default Date.now */
  readonly clock?: () => number;
}

interface Storage {
  readonly initial: KeyTable;
  /** Makes a table durable, or rejects. Never called while an earlier call is pending. */
  readonly write: (table: KeyTable) => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Opens the file of the key store and locks out other processes until the store is closed. A
 * missing file is created by the first change.
 * @throws {StartupError} when the file is in use, cannot be read or is invalid; it is then left
 *   untouched
 */
export async function openKeyStore(
  path: string,
  options: KeyStoreOptions & ExclusiveFilePorts,
): Promise<KeyStore> {
  const file = new KeyFile(path, options);
  try {
    const initial = (await file.read()) ?? new KeyTable();
    for (const key of initial.keys.values()) toManagedKey(key);
    const storage = {
      initial,
      write: (table: KeyTable) => file.write(table),
      close: () => file.close(),
    };
    return new KeyStore(storage, options);
  } catch (cause) {
    await file.close();
    throw createUnusableDataError(`--key-store ${path}: the file of API keys`, cause);
  }
}

/**
 * The API keys that are managed over HTTP. A change is visible, and recorded in the log, once it is
 * durable.
 */
export class KeyStore {
  readonly #commits: GroupCommit<KeyTable>;
  readonly #options: Required<KeyStoreOptions>;
  readonly #close: () => Promise<void>;
  #state: "open" | "closed" = "open";

  constructor({ initial, write, close }: Storage, options: KeyStoreOptions) {
    this.#options = { clock: Date.now, expectApplicable: () => undefined, ...options };
    this.#close = close;
    this.#commits = new GroupCommit({
      initial,
      createDraft: (table) => new KeyTable(table),
      isChanged: (draft, original) => draft.entries.length !== original.entries.length,
      persist: async (table) => {
        await write(table);
        this.#options.onChange([...table.keys.values()]);
      },
    });
  }

  /** In the order of their creation. */
  get keys(): readonly StoredKey[] {
    return [...this.#commits.committed.keys.values()];
  }

  /** All changes, oldest first. */
  get log(): readonly AuditEntry[] {
    return this.#commits.committed.entries;
  }

  find(name: string): StoredKey | undefined {
    return this.#commits.committed.keys.get(name);
  }

  /** @throws {GgufdError} see {@link addKey}; errors of the storage */
  create(key: NewStoredKey, actor: Actor): Promise<StoredKey> {
    return this.#change(actor, (draft, context) => addKey(draft, key, context));
  }

  /** @throws {GgufdError} see {@link updateKey}; errors of the storage */
  update(name: string, update: KeyUpdate, actor: Actor): Promise<StoredKey> {
    return this.#change(actor, (draft, context) => updateKey(draft, { name, update }, context));
  }

  /** @throws {GgufdError} see {@link rotateKey}; errors of the storage */
  rotate(name: string, value: StoredValue, graceMs: number, actor: Actor): Promise<StoredKey> {
    return this.#change(actor, (draft, context) =>
      rotateKey(draft, { name, value, graceMs }, context),
    );
  }

  /** @throws {GgufdError} see {@link removeKey}; errors of the storage */
  remove(name: string, actor: Actor): Promise<void> {
    return this.#change(actor, (draft, context) => removeKey(draft, name, context));
  }

  /** Refuses further changes and resolves when earlier ones are settled. */
  async close(): Promise<void> {
    this.#state = "closed";
    await this.#commits.whenSettled();
    await this.#close();
  }

  async #change<Result>(
    actor: Actor,
    change: (draft: KeyTable, context: ChangeContext) => Result,
  ): Promise<Result> {
    if (this.#state === "closed") throw createShutdownError();
    return this.#commits.submit((draft) =>
      change(draft, {
        actor,
        now: this.#options.clock(),
        hasConfiguredManager: this.#options.hasConfiguredManager(),
        expectApplicable: this.#options.expectApplicable,
      }),
    );
  }
}
