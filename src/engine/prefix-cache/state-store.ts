import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { CacheTier } from "../../core/engine-statistics.js";
import type { TokenContext } from "../llama/token-context.js";
import { commonPrefixLength } from "./common-prefix.js";
import type { StoredState } from "./sequence-placement.js";

export interface StateStoreOptions {
  readonly context: Pick<TokenContext, "partialTruncation" | "save" | "restore">;
  /** Folder for the files, used by this store alone. */
  readonly folder: string;
  /** Capacity for all states together. */
  readonly maxBytes: number;
  /** `session`: the folder is deleted with the store; `permanent`: it outlives the process. */
  readonly retention: "session" | "permanent";
  /** Second tier, which takes evicted states: a disk behind memory. */
  readonly next?: StateStore | undefined;
}

/** States on their way to the next tier take at most this share of the capacity beside it. */
const MAX_BACKLOG_SHARE = 0.25;

interface Entry extends StoredState {
  readonly path: string;
  readonly bytes: number;
}

/** Where a store keeps its states. */
export type StoreTier = Exclude<CacheTier, "kv">;

/** Occupancy and activity of a store. */
export interface StateStoreCounters {
  readonly states: number;
  readonly bytes: number;
  readonly saved: number;
  readonly restored: number;
  /** Dropped to make room, or moved to the next tier. */
  readonly evicted: number;
  /** States that could not be written or read back. */
  readonly failed: number;
}

/**
 * Saved KV states: of sequences that were needed for another prompt, and checkpoints of models
 * without partial truncation. Eviction is LRU. A state that a longer one can be truncated to is
 * dropped at once.
 */
export class StateStore {
  readonly #options: StateStoreOptions;
  /** Least recently used first. */
  #entries: Entry[] = [];
  /** The shortest state, in tokens, that turned out larger than the whole capacity. */
  #oversizedTokens = Number.POSITIVE_INFINITY;
  /** States on their way to the next tier, one after the other. Never rejects. */
  #demotions: Promise<void> = Promise.resolve();
  #demotedBytes = 0;
  readonly #counts = { saved: 0, restored: 0, evicted: 0, failed: 0 };

  /** A store over an existing, empty folder. */
  constructor(options: StateStoreOptions) {
    this.#options = options;
  }

  /** Opens a folder, with the states that an earlier process left in it. */
  static async open(options: StateStoreOptions): Promise<StateStore> {
    const store = new StateStore(options);
    await mkdir(options.folder, { recursive: true });
    if (options.retention === "permanent") await store.#readFolder();
    return store;
  }

  /** All states that can be restored, from every tier. */
  get states(): readonly StoredState[] {
    return [...this.#entries, ...(this.#options.next?.states ?? [])];
  }

  /** Whether some tier keeps its states when the store is closed. */
  get outlivesProcess(): boolean {
    const { retention, next } = this.#options;
    return retention === "permanent" || next?.outlivesProcess === true;
  }

  get counters(): StateStoreCounters {
    return { ...this.#counts, states: this.#entries.length, bytes: this.#bytes };
  }

  /** The same of each tier, from this one on. */
  get countersByTier(): Readonly<Partial<Record<StoreTier, StateStoreCounters>>> {
    return { [this.#tier]: this.counters, ...this.#options.next?.countersByTier };
  }

  /** Where a state is; `undefined`: it has been dropped. */
  tierOf(state: StoredState): StoreTier | undefined {
    const isHere = this.#entries.some((entry) => entry === state);
    return isHere ? this.#tier : this.#options.next?.tierOf(state);
  }

  /**
   * Saves what a sequence holds. A write error, such as a full disk, is counted and ignored.
   * @returns whether it was saved
   */
  async save(sequenceId: number, tokens: readonly number[]): Promise<boolean> {
    if (tokens.length >= this.#oversizedTokens && this.#options.next === undefined) return false;
    const path = this.#newPath();
    try {
      const bytes = await this.#options.context.save(sequenceId, tokens, path);
      await this.#add({ tokens: [...tokens], path, bytes });
    } catch {
      await this.#fail(path);
      return false;
    }
    this.#counts.saved++;
    return true;
  }

  /**
   * Reads a state back into a sequence; it stays in the store, as the most recently used.
   * @returns whether it could be read; if not, the content of the sequence is undefined
   */
  async restore(state: StoredState, sequenceId: number): Promise<boolean> {
    const entry = this.#entries.find((candidate) => candidate === state);
    if (entry === undefined) return (await this.#options.next?.restore(state, sequenceId)) ?? false;
    try {
      const restored = await this.#options.context.restore(sequenceId, entry.path);
      assert(areEqual(restored, entry.tokens), `${entry.path} holds the state of other tokens`);
    } catch {
      this.#forget(entry);
      await this.#fail(entry.path);
      return false;
    }
    this.#counts.restored++;
    this.#entries = [...this.#entries.filter((other) => other !== entry), entry];
    return true;
  }

  /** Resolves when the states evicted so far have reached the next tier. */
  settled(): Promise<void> {
    return this.#demotions;
  }

  /** Moves all states to the next tier, if there is one, and deletes a session's folder. */
  async close(): Promise<void> {
    const { folder, retention, next } = this.#options;
    await this.settled();
    for (const entry of this.#entries) await next?.take(entry);
    if (retention === "session") await rm(folder, { recursive: true, force: true });
    this.#entries = [];
    await next?.close();
  }

  /** Takes over a state that another tier evicts. */
  async take({ tokens, path, bytes }: Entry): Promise<void> {
    const own = this.#newPath();
    try {
      await move(path, own);
      await this.#add({ tokens, path: own, bytes });
    } catch {
      return this.#fail(own);
    }
  }

  get #tier(): StoreTier {
    return this.#options.retention === "session" ? "ram" : "disk";
  }

  get #bytes(): number {
    return this.#entries.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Unique for ever: in a container each process that opens a permanent folder has the same id. */
  #newPath(): string {
    return join(this.#options.folder, `${randomUUID()}.state`);
  }

  async #add(entry: Entry): Promise<void> {
    const { retention, maxBytes, next } = this.#options;
    if (entry.bytes > maxBytes) return this.#passOn(entry);
    if (retention === "permanent") await writeFile(tokensPath(entry), JSON.stringify(entry.tokens));
    const superseded = this.#entries.filter(({ tokens }) => this.#supersedes(entry, tokens));
    this.#entries.push(entry);
    for (const other of superseded) await this.#remove(other);
    while (this.#bytes > maxBytes) {
      const [oldest] = this.#entries;
      if (oldest === undefined) break;
      this.#counts.evicted++;
      this.#forget(oldest);
      if (next === undefined) await this.#remove(oldest);
      else this.#demote(oldest, next);
    }
  }

  /**
   * Moves an evicted state to the next tier in the background: whoever saves a state waits for its own
   * file, not for a disk. If the next tier cannot keep up, the state is dropped.
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

  /** A state larger than the whole capacity evicts no other; it goes to the next tier. */
  async #passOn(entry: Entry): Promise<void> {
    this.#oversizedTokens = Math.min(this.#oversizedTokens, entry.tokens.length);
    this.#counts.evicted++;
    const { next } = this.#options;
    if (next === undefined) await this.#remove(entry);
    else this.#demote(entry, next);
  }

  /** Loads the states of an earlier process; incomplete ones are deleted. */
  async #readFolder(): Promise<void> {
    const { folder } = this.#options;
    const found: (Entry & { readonly usedAt: number })[] = [];
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if (name.endsWith(".state")) {
        const tokens = await readTokens(tokensPath({ path }));
        const { size, mtimeMs } = await stat(path);
        if (tokens === undefined || size === 0) await this.#remove({ path });
        else found.push({ tokens, path, bytes: size, usedAt: mtimeMs });
      } else if (!(await stat(path.replace(/\.tokens$/, "")).catch(() => undefined))) {
        await rm(path, { recursive: true, force: true });
      }
    }
    this.#entries = found.toSorted((a, b) => a.usedAt - b.usedAt);
  }

  /** Whether a state provides all of these tokens, truncated if the model supports that. */
  #supersedes({ tokens: newer }: StoredState, tokens: readonly number[]): boolean {
    const canTruncate = this.#options.context.partialTruncation === "supported";
    const fits = canTruncate ? tokens.length <= newer.length : tokens.length === newer.length;
    return fits && commonPrefixLength(newer, tokens) === tokens.length;
  }

  #forget(entry: Entry): void {
    this.#entries = this.#entries.filter((other) => other !== entry);
  }

  async #remove(entry: Pick<Entry, "path">): Promise<void> {
    this.#entries = this.#entries.filter(({ path }) => path !== entry.path);
    await rm(entry.path, { force: true });
    await rm(tokensPath(entry), { force: true });
  }

  async #fail(path: string): Promise<void> {
    this.#counts.failed++;
    await this.#remove({ path });
  }
}

function areEqual(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && commonPrefixLength(a, b) === a.length;
}

function tokensPath({ path }: Pick<Entry, "path">): string {
  return join(path, "..", `${basename(path)}.tokens`);
}

async function readTokens(path: string): Promise<readonly number[] | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    const isTokens = Array.isArray(value) && value.length > 0 && value.every(Number.isInteger);
    return isTokens ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A rename, or a copy between file systems. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await copyFile(from, to);
    await rm(from, { force: true });
  }
}
