import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { CacheTier } from "../../core/engine-statistics.js";
import { formatReason } from "../../core/format-reason.js";
import type { TokenContext } from "../native/token-context.js";
import { areEqual } from "./common-prefix.js";
import { copyIdentity, countCommonCells, type PromptIdentity } from "./prompt-identity.js";
import type { StoredState } from "./sequence-placement.js";
import {
  computeChecksum,
  makeStateFolder,
  moveFile,
  readPermanentStates,
  removeState,
  renameForReading,
  STATE_SUFFIX,
  sealState,
} from "./state-files.js";
import { mergeOwners, noOwners, type StateOwners, truncateOwners } from "./state-owners.js";

export interface StateStoreOptions {
  readonly context: Pick<TokenContext, "partialTruncation" | "save" | "restore">;
  /** Folder for the files, used by this store alone. */
  readonly folder: string;
  /** Capacity for all states together. */
  readonly maxBytes: number;
  readonly retention: Retention;
  /** Receives warnings about the folder, for the operator. */
  readonly onWarning: (message: string) => void;
  /** Second tier, which takes evicted states: a disk behind memory. */
  readonly next?: StateStore | undefined;
}

/**
 * `session`: the folder is deleted with the store; `permanent`: it outlives the process. `identity`: all facts, apart
 * from the prompt, that determine a state; see `computeStateIdentity`.
 */
export type Retention =
  | { readonly kind: "session" }
  | { readonly kind: "permanent"; readonly identity: string };

/** Maximum size of the states being moved to the next tier, as a share of the capacity and in addition to it. */
const MAX_BACKLOG_SHARE = 0.25;

interface Entry extends StoredState {
  owners?: StateOwners;
  readonly path: string;
  readonly bytes: number;
  /** Checksum of a permanent state; see {@link computeChecksum}. */
  readonly checksum?: string | undefined;
}

/**
 * Result of restoring a state into a sequence: `restored`; `untouched` if the file was rejected before llama.cpp read
 * it; `undefined-cells` if llama.cpp rejected it partway.
 */
export type Restoration = "restored" | "untouched" | "undefined-cells";

/** Tier in which a store keeps its states. */
export type StoreTier = Exclude<CacheTier, "kv">;

/** Occupancy and activity of a store. */
export interface StateStoreCounters {
  readonly states: number;
  readonly bytes: number;
  readonly saved: number;
  readonly restored: number;
  /** States dropped to make room, or moved to the next tier. */
  readonly evicted: number;
  /** States that could not be written or read back. */
  readonly failed: number;
}

/**
 * Saved KV states: of sequences that were needed for another prompt, and checkpoints of models without partial
 * truncation. Eviction is LRU. A state that a longer one can be truncated to is dropped at once.
 *
 * llama.cpp trusts the content of a state file: a damaged file causes wrong answers, a hang or a crash. So a state that
 * outlives its process has a checksum, verified before llama.cpp reads the file; and the file is renamed during the
 * read, so that a state that crashes the process is read only once. States of a session have no checksum: no other
 * program writes to their folder, and no other process reads them.
 */
export class StateStore {
  readonly #options: StateStoreOptions;
  /** Least recently used first. */
  #entries: Entry[] = [];
  /** The shortest state, in tokens, that turned out larger than the whole capacity. */
  #oversizedTokens = Number.POSITIVE_INFINITY;
  /** Chain of pending moves to the next tier and deletions. Never rejects. */
  #demotions: Promise<void> = Promise.resolve();
  #demotedBytes = 0;
  readonly #counts = { saved: 0, restored: 0, evicted: 0, failed: 0 };

  /** Creates a store over an existing, empty folder. */
  constructor(options: StateStoreOptions) {
    this.#options = options;
  }

  /** Opens a folder, with the states that an earlier process left in it. */
  static async open(options: StateStoreOptions): Promise<StateStore> {
    const store = new StateStore(options);
    await makeStateFolder(options.folder);
    if (options.retention.kind === "permanent") {
      store.#entries = [...(await readPermanentStates(options.folder, options.onWarning))];
    }
    return store;
  }

  /** All states that can be restored, from every tier. */
  get states(): readonly StoredState[] {
    return [...this.#entries, ...(this.#options.next?.states ?? [])];
  }

  /** Whether a tier keeps its states after the store is closed. */
  get outlivesProcess(): boolean {
    const { retention, next } = this.#options;
    return retention.kind === "permanent" || next?.outlivesProcess === true;
  }

  get counters(): StateStoreCounters {
    return { ...this.#counts, states: this.#entries.length, bytes: this.#bytes };
  }

  /** Counters of each tier, from this one on. */
  get countersByTier(): Readonly<Partial<Record<StoreTier, StateStoreCounters>>> {
    return { [this.#tier]: this.counters, ...this.#options.next?.countersByTier };
  }

  /** Returns the tier of a state; `undefined`: the state was dropped. */
  tierOf(state: StoredState): StoreTier | undefined {
    const isHere = this.#entries.some((entry) => entry === state);
    return isHere ? this.#tier : this.#options.next?.tierOf(state);
  }

  /**
   * Saves the state of a sequence. A write error, such as a full disk, is counted and ignored.
   * @param owners API keys that own a prefix of the state; a permanent folder does not store them
   * @returns whether it was saved
   */
  async save(sequenceId: number, contents: PromptIdentity, owners = noOwners): Promise<boolean> {
    if (contents.cells.length >= this.#oversizedTokens && this.#options.next === undefined)
      return false;
    const path = this.#createPath();
    try {
      const bytes = await this.#options.context.save(sequenceId, contents.cells, path);
      await this.#add({ prompt: copyIdentity(contents), owners, path, bytes });
    } catch {
      await this.#fail(path);
      return false;
    }
    this.#counts.saved++;
    return true;
  }

  /** Adds owners to the states that already contain `held`, which is therefore not saved again. */
  addOwners(contents: PromptIdentity, owners: StateOwners): void {
    if (owners.size === 0) return;
    for (const entry of this.#entries) {
      const sharedOwners = truncateOwners(owners, countCommonCells(entry.prompt, contents));
      entry.owners = mergeOwners(entry.owners ?? noOwners, sharedOwners);
    }
    this.#options.next?.addOwners(contents, owners);
  }

  /** Restores a state into a sequence; the state stays in the store, as the most recently used. */
  async restore(state: StoredState, sequenceId: number): Promise<Restoration> {
    const entry = this.#entries.find((candidate) => candidate === state);
    if (entry === undefined) {
      return (await this.#options.next?.restore(state, sequenceId)) ?? "untouched";
    }
    // Prevents eviction of the entry while it is read.
    this.#forget(entry);
    let restoration: Restoration = "untouched";
    try {
      const readPath = await this.#verify(entry);
      restoration = "undefined-cells";
      const restored = await this.#options.context.restore(sequenceId, readPath);
      assert(
        areEqual(restored, entry.prompt.cells),
        "the restored tokens differ from the saved ones",
      );
      restoration = "restored";
      if (readPath !== entry.path) await rename(readPath, entry.path);
    } catch (error) {
      await this.#fail(entry.path);
      this.#options.onWarning(`deleted the saved state ${entry.path}: ${formatReason(error)}`);
      return restoration;
    }
    this.#counts.restored++;
    this.#entries.push(entry);
    await this.#evict();
    return "restored";
  }

  /**
   * Drops from every tier the states that `held` may have been restored from.
   * @param minTokens minimum number of tokens that such a state shares with `held`
   */
  drop(contents: PromptIdentity, minTokens: number): void {
    for (const entry of this.#entries) {
      if (countCommonCells(entry.prompt, contents) < minTokens) continue;
      this.#forget(entry);
      this.#demotions = this.#demotions.then(() => this.#remove(entry)).catch(() => undefined);
    }
    this.#options.next?.drop(contents, minTokens);
  }

  /** Resolves when the states evicted so far have reached the next tier. */
  waitForDemotions(): Promise<void> {
    return this.#demotions;
  }

  /** Moves all states to the next tier, if there is one, and deletes a session's folder. */
  async close(): Promise<void> {
    const { folder, retention, next } = this.#options;
    await this.waitForDemotions();
    for (const entry of this.#entries) await next?.take(entry);
    if (retention.kind === "session") await rm(folder, { recursive: true, force: true });
    this.#entries = [];
    await next?.close();
  }

  /** Takes over a state that another tier evicts. */
  async take({ path, ...state }: Entry): Promise<void> {
    const targetPath = this.#createPath();
    try {
      await moveFile(path, targetPath);
      await this.#add({ ...state, path: targetPath });
    } catch {
      return this.#fail(targetPath);
    }
  }

  get #tier(): StoreTier {
    return this.#options.retention.kind === "session" ? "ram" : "disk";
  }

  get #bytes(): number {
    return this.#entries.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Returns a globally unique path; process ids would not be unique, because in containers every process that opens a
   * permanent folder has the same id.
   */
  #createPath(): string {
    return join(this.#options.folder, `${randomUUID()}${STATE_SUFFIX}`);
  }

  async #add(newEntry: Entry): Promise<void> {
    if (newEntry.bytes > this.#options.maxBytes) return this.#passOn(newEntry);
    const entry = await this.#seal(newEntry);
    const superseded = this.#entries.filter(({ prompt }) => this.#supersedes(entry, prompt));
    this.#entries.push(entry);
    for (const other of superseded) await this.#remove(other);
    await this.#evict();
  }

  async #evict(): Promise<void> {
    const { maxBytes, next } = this.#options;
    while (this.#bytes > maxBytes) {
      const [oldest] = this.#entries;
      if (oldest === undefined) break;
      this.#counts.evicted++;
      this.#forget(oldest);
      if (next === undefined) await this.#remove(oldest);
      else this.#demote(oldest, next);
    }
  }

  /** Writes the manifest of a permanent state, by which a later process finds it. */
  async #seal(entry: Entry): Promise<Entry> {
    const { retention } = this.#options;
    if (retention.kind === "session") return entry;
    const { path, prompt } = entry;
    const checksum = await sealState(path, { identity: retention.identity, prompt });
    return { ...entry, checksum };
  }

  /**
   * Verifies a permanent state and renames it for reading.
   * @returns path to read the state from
   * @throws if the checksum differs from the saved one
   */
  async #verify({ path, prompt, checksum }: Entry): Promise<string> {
    const { retention } = this.#options;
    if (retention.kind === "session") return path;
    const actualChecksum = await computeChecksum(path, { identity: retention.identity, prompt });
    if (actualChecksum !== checksum) throw new Error("its checksum differs from the saved one");
    return renameForReading(path);
  }

  /**
   * Moves an evicted state to the next tier in the background, so that saving a state never waits
   * for a write to the next tier. If the next tier cannot keep up, the state is dropped.
   */
  #demote(entry: Entry, next: StateStore): void {
    const isBacklogged =
      this.#demotedBytes > 0 &&
      this.#demotedBytes + entry.bytes > this.#options.maxBytes * MAX_BACKLOG_SHARE;
    this.#demotedBytes += entry.bytes;
    this.#demotions = this.#demotions.then(async () => {
      if (!isBacklogged) await next.take(entry);
      await this.#remove(entry);
      this.#demotedBytes -= entry.bytes;
    });
  }

  /** Moves a state that is larger than the whole capacity to the next tier, without evicting other states. */
  async #passOn(entry: Entry): Promise<void> {
    this.#oversizedTokens = Math.min(this.#oversizedTokens, entry.prompt.cells.length);
    this.#counts.evicted++;
    const { next } = this.#options;
    if (next === undefined) await this.#remove(entry);
    else this.#demote(entry, next);
  }

  /** Whether a state provides all tokens of another one, by truncation if the model supports that. */
  #supersedes({ prompt: newer }: StoredState, older: PromptIdentity): boolean {
    const { length } = older.cells;
    const canTruncate = this.#options.context.partialTruncation === "supported";
    const isCovered = canTruncate ? length <= newer.cells.length : length === newer.cells.length;
    return isCovered && countCommonCells(newer, older) === length;
  }

  #forget(entry: Entry): void {
    this.#entries = this.#entries.filter((other) => other !== entry);
  }

  async #remove(entry: Pick<Entry, "path">): Promise<void> {
    this.#entries = this.#entries.filter(({ path }) => path !== entry.path);
    await removeState(entry.path);
  }

  async #fail(path: string): Promise<void> {
    this.#counts.failed++;
    await this.#remove({ path });
  }
}
