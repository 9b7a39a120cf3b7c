import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { TokenContext } from "../llama/token-context.js";
import { commonPrefixLength } from "./common-prefix.js";
import type { StoredState } from "./sequence-placement.js";

export interface StateStoreOptions {
  readonly context: Pick<TokenContext, "cuts" | "save" | "restore">;
  /** Where the files go; it belongs to the store. */
  readonly folder: string;
  /** What all states together may take. */
  readonly maxBytes: number;
  /** `session`: the folder goes with the store; `always`: it is there for the next start. */
  readonly keeps: "session" | "always";
  /** Takes what this store has no room for, such as a disk behind memory. */
  readonly next?: StateStore | undefined;
}

interface Entry extends StoredState {
  readonly path: string;
  readonly bytes: number;
}

/** What a store has done so far. */
export interface StateStoreCounters {
  readonly states: number;
  readonly bytes: number;
  readonly saved: number;
  readonly restored: number;
  /** Dropped for want of room, or handed to the next store. */
  readonly evicted: number;
  /** Could not be written or read back. */
  readonly failed: number;
}

/**
 * States of sequences that were needed for something else, and checkpoints of models that cannot
 * cut theirs: what would otherwise be evaluated from its beginning. The least recently used give
 * way first; a state that a longer one can be cut back to is dropped at once.
 */
export class StateStore {
  readonly #options: StateStoreOptions;
  /** The least recently used first. */
  #entries: Entry[] = [];
  #names = 0;
  /** Tokens from which on a state is larger than all the room. */
  #tooMany = Number.POSITIVE_INFINITY;
  readonly #counts = { saved: 0, restored: 0, evicted: 0, failed: 0 };

  /** A store over a folder that is there and empty. */
  constructor(options: StateStoreOptions) {
    this.#options = options;
  }

  /** Opens a folder, with what an earlier store has kept in it. */
  static async open(options: StateStoreOptions): Promise<StateStore> {
    const store = new StateStore(options);
    await mkdir(options.folder, { recursive: true });
    if (options.keeps === "always") await store.#readFolder();
    return store;
  }

  /** All that can be restored, from here or the stores behind. */
  get states(): readonly StoredState[] {
    return [...this.#entries, ...(this.#options.next?.states ?? [])];
  }

  get counters(): StateStoreCounters {
    return { ...this.#counts, states: this.#entries.length, bytes: this.#bytes };
  }

  /** Keeps what a sequence holds, if it can be written: a full disk costs no more than time. */
  async save(sequenceId: number, tokens: readonly number[]): Promise<void> {
    if (tokens.length >= this.#tooMany && this.#options.next === undefined) return;
    const path = this.#newPath();
    try {
      const bytes = await this.#options.context.save(sequenceId, tokens, path);
      await this.#add({ tokens: [...tokens], path, bytes });
    } catch {
      return this.#fail(path);
    }
    this.#counts.saved++;
  }

  /**
   * Reads a state back into a sequence; it stays in the store, as the most recently used.
   * @returns whether it could be read; if not, nobody can tell what the sequence holds
   */
  async restore(state: StoredState, sequenceId: number): Promise<boolean> {
    const entry = this.#entries.find((candidate) => candidate === state);
    if (entry === undefined) return (await this.#options.next?.restore(state, sequenceId)) ?? false;
    try {
      await this.#options.context.restore(sequenceId, entry.path);
    } catch {
      this.#forget(entry);
      await this.#fail(entry.path);
      return false;
    }
    this.#counts.restored++;
    this.#entries = [...this.#entries.filter((other) => other !== entry), entry];
    return true;
  }

  /** Hands everything on to where it is kept, or forgets it. */
  async close(): Promise<void> {
    const { folder, keeps, next } = this.#options;
    for (const entry of this.#entries) await next?.take(entry);
    if (keeps === "session") await rm(folder, { recursive: true, force: true });
    this.#entries = [];
    await next?.close();
  }

  /** Moves another store's state here. */
  async take({ tokens, path, bytes }: Entry): Promise<void> {
    const own = this.#newPath();
    try {
      await move(path, own);
      await this.#add({ tokens, path: own, bytes });
    } catch {
      return this.#fail(own);
    }
  }

  get #canCut(): boolean {
    return this.#options.context.cuts === "anywhere";
  }

  get #bytes(): number {
    return this.#entries.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #newPath(): string {
    return join(this.#options.folder, `${process.pid}-${this.#names++}.state`);
  }

  async #add(entry: Entry): Promise<void> {
    const { keeps, maxBytes, next } = this.#options;
    if (entry.bytes > maxBytes) return this.#refuse(entry);
    if (keeps === "always") await writeFile(tokensPath(entry), JSON.stringify(entry.tokens));
    const superseded = this.#entries.filter(({ tokens }) => this.#gives(entry, tokens));
    this.#entries.push(entry);
    for (const other of superseded) await this.#remove(other);
    while (this.#bytes > maxBytes) {
      const [oldest] = this.#entries;
      if (oldest === undefined) break;
      this.#counts.evicted++;
      this.#forget(oldest);
      await next?.take(oldest);
      await this.#remove(oldest);
    }
  }

  /** A state that is larger than all the room costs no other its place. */
  async #refuse(entry: Entry): Promise<void> {
    this.#tooMany = Math.min(this.#tooMany, entry.tokens.length);
    this.#counts.evicted++;
    await this.#options.next?.take(entry);
    await this.#remove(entry);
  }

  /** States whose tokens or bytes are incomplete are no states. */
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

  /** Whether a state, cut if need be, is that of these tokens. */
  #gives({ tokens: longer }: StoredState, tokens: readonly number[]): boolean {
    const canBe = this.#canCut ? tokens.length <= longer.length : tokens.length === longer.length;
    return canBe && commonPrefixLength(longer, tokens) === tokens.length;
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

/** A rename, or a copy where the folders are on different disks. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await copyFile(from, to);
    await rm(from, { force: true });
  }
}
