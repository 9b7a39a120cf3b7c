import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { StoredState } from "./sequence-placement.js";
import type { TokenContext } from "./token-context.js";

export interface StateStoreOptions {
  readonly context: Pick<TokenContext, "save" | "restore">;
  /** Where the files go, best in memory; it belongs to the store. */
  readonly folder: string;
  /** What all states together may take. */
  readonly maxBytes: number;
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
  /** Dropped for want of room. */
  readonly evicted: number;
  /** Could not be written or read back. */
  readonly failed: number;
}

/**
 * States of sequences that were needed for something else: conversations whose next turn would
 * otherwise be evaluated from its beginning. The least recently used are dropped first; a state
 * that begins a longer one is dropped at once.
 */
export class StateStore {
  readonly #options: StateStoreOptions;
  /** The least recently used first. */
  #entries: Entry[] = [];
  #names = 0;
  readonly #counts = { saved: 0, restored: 0, evicted: 0, failed: 0 };

  constructor(options: StateStoreOptions) {
    this.#options = options;
  }

  get states(): readonly StoredState[] {
    return this.#entries;
  }

  get counters(): StateStoreCounters {
    return { ...this.#counts, states: this.#entries.length, bytes: this.#bytes };
  }

  /** Whether a state, or a longer one, is there already. */
  holds(tokens: readonly number[]): boolean {
    return this.#entries.some((entry) => beginsWith(entry.tokens, tokens));
  }

  /** Keeps what a sequence holds, if it can be written: a full disk costs no more than time. */
  async save(sequenceId: number, tokens: readonly number[]): Promise<void> {
    const { context, folder, maxBytes } = this.#options;
    const path = join(folder, `${this.#names++}.state`);
    const bytes = await context.save(sequenceId, tokens, path).catch(() => undefined);
    if (bytes === undefined) {
      this.#counts.failed++;
      await rm(path, { force: true });
      return;
    }
    this.#counts.saved++;
    const shorter = this.#entries.filter((entry) => beginsWith(tokens, entry.tokens));
    this.#entries.push({ tokens: [...tokens], path, bytes });
    for (const entry of shorter) await this.#drop(entry);
    while (this.#bytes > maxBytes) {
      const [oldest] = this.#entries;
      if (oldest === undefined) break;
      this.#counts.evicted++;
      await this.#drop(oldest);
    }
  }

  /**
   * Reads a state back into a sequence; it stays in the store, as the most recently used.
   * @returns whether it could be read; if not, nobody can tell what the sequence holds
   */
  async restore(state: StoredState, sequenceId: number): Promise<boolean> {
    const entry = this.#entries.find((candidate) => candidate === state);
    if (entry === undefined) return false;
    try {
      await this.#options.context.restore(sequenceId, entry.path);
    } catch {
      this.#counts.failed++;
      await this.#drop(entry);
      return false;
    }
    this.#counts.restored++;
    this.#entries = [...this.#entries.filter((other) => other !== entry), entry];
    return true;
  }

  /** Forgets everything. */
  async close(): Promise<void> {
    this.#entries = [];
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  get #bytes(): number {
    return this.#entries.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async #drop(entry: Entry): Promise<void> {
    this.#entries = this.#entries.filter((other) => other !== entry);
    await rm(entry.path, { force: true });
  }
}

function beginsWith(tokens: readonly number[], beginning: readonly number[]): boolean {
  return (
    beginning.length <= tokens.length && beginning.every((token, index) => token === tokens[index])
  );
}
