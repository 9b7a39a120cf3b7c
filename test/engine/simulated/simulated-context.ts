import { isDeepStrictEqual } from "node:util";
import { MEDIA_CELL } from "../../../src/core/media.js";
import {
  type AppliedAdapter,
  BatchAborted,
  type BatchMixing,
  type BatchPart,
  type CacheLayout,
  createCertainDraw,
  type EncodedMedia,
  type Logits,
  type LogProbabilities,
  type MediaPiece,
  type SamplingContext,
  type StateMark,
  type TokenContext,
  type TokenOfRow,
  type TokenSampler,
} from "../../../src/engine/native/token-context.js";

/** A call on a simulated context or on one of its samplers. */
export interface ContextCall {
  readonly kind:
    | "truncate"
    | "clear"
    | "mark"
    | "rewind"
    | "copy"
    | "save"
    | "restore"
    | "evaluate"
    | "evaluate-media"
    | "sample";
  /** The sequence that is truncated, marked, copied to, saved, restored, sampled or given media; −1: a batch, or all. */
  readonly sequenceId: number;
  readonly parts: readonly BatchPart[];
  /** Present for evaluated media. */
  readonly piece?: MediaPiece;
}

/** Runs inside a call: may delay, fail or observe it. */
export type CallHook = (call: ContextCall) => Promise<void> | undefined;

export interface SimulationOptions {
  readonly sequences: number;
  /** @default split */
  readonly layout?: CacheLayout | undefined;
  /** @default together */
  readonly mixing?: BatchMixing | undefined;
  readonly batchSize: number;
  /** @default the number of tokens */
  readonly maxOutputs?: number | undefined;
  /**
   * Model: the token that follows the held cells, of which those of media are negative and depend
   * on their content; `draw` counts its sampler's earlier draws, `under` has the adapters that each
   * cell was computed under.
   */
  readonly next: (held: readonly number[], draw: number, under: readonly string[]) => number;
  readonly onCall?: CallHook | undefined;
  readonly partialTruncation?: TokenContext["partialTruncation"] | undefined;
  /** @default `truncate` if any length can be truncated */
  readonly retraction?: TokenContext["retraction"] | undefined;
  /** Tokens that a token attends to; the cache keeps twice as many. Absent: all. */
  readonly windowTokens?: number | undefined;
  readonly copyMs?: number | undefined;
  /** @default the batch size */
  readonly passTokens?: number | undefined;
}

/** A cell of the cache. Sequences that share it have the same object. */
interface Cell {
  /** Token of the cell; for media, a negative number derived from their embeddings. */
  readonly content: number;
  readonly position: number;
  /** Position after the cell; for media, after all of them. */
  readonly next: number;
  /** Number of the media's remaining cells. */
  readonly left: number;
  /** Under which adapters it was computed. */
  readonly under: string;
}

/** Target of a logits handle. */
interface Evaluated {
  readonly sequenceId: number;
  readonly tokens: readonly number[];
  readonly under: readonly string[];
  readonly draws: BatchPart["draws"];
}

/** Adapters of a token computed without any. */
export const NO_ADAPTERS = "[]";

/** A context without a model. Every call that violates the contract of `TokenContext` throws. */
export class SimulatedContext implements TokenContext {
  readonly sequences: number;
  readonly layout: CacheLayout;
  readonly mixing: BatchMixing;
  readonly batchSize: number;
  readonly passTokens: number;
  readonly maxOutputs: number;
  readonly partialTruncation: TokenContext["partialTruncation"];
  readonly retraction: TokenContext["retraction"];
  readonly copyMs: number;
  readonly calls: ContextCall[] = [];
  readonly #windowTokens: number | undefined;
  /** First positions in the cache of each sequence, if not 0. */
  readonly #firstPositions = new Map<number, number>();
  readonly #next: SimulationOptions["next"];
  readonly #onCall: CallHook | undefined;
  /** Cells by sequence, in order. */
  readonly #cells: Cell[][];
  #adapters = NO_ADAPTERS;
  /** Cells saved at each path. */
  protected readonly files = new Map<string, readonly Cell[]>();
  /** Both sides of copies that are carried out with the next batch. */
  readonly #copying = new Set<number>();
  /** Positions of the parts of the last batch, by sequence. */
  #lastPositions = new Map<number, number>();
  #evaluated: Evaluated[] = [];
  #busy = false;
  #batch: "none" | "evaluating" | "aborted" = "none";
  /** Marks that were taken and not disposed of. */
  openMarks = 0;
  /** Samplers that were created and not disposed of. */
  openSamplers = 0;

  constructor({
    sequences,
    layout = { kind: "split" },
    mixing = "mixed",
    batchSize,
    passTokens = batchSize,
    maxOutputs = batchSize,
    next,
    onCall,
    partialTruncation = "supported",
    retraction = partialTruncation === "supported" ? "truncate" : "rewind",
    windowTokens,
    copyMs = 0,
  }: SimulationOptions) {
    this.sequences = sequences;
    this.layout = layout;
    this.mixing = mixing;
    this.batchSize = batchSize;
    this.passTokens = passTokens;
    this.maxOutputs = maxOutputs;
    this.partialTruncation = partialTruncation;
    this.retraction = retraction;
    this.copyMs = copyMs;
    this.#windowTokens = windowTokens;
    this.#next = next;
    this.#onCall = onCall;
    this.#cells = Array.from({ length: sequences }, () => []);
  }

  /** The batches that were evaluated. */
  get batches(): (readonly BatchPart[])[] {
    return this.calls.filter(({ kind }) => kind === "evaluate").map(({ parts }) => parts);
  }

  /** Media pieces that were evaluated. */
  get pieces(): MediaPiece[] {
    return this.calls.flatMap(({ piece }) => piece ?? []);
  }

  async evaluate(parts: readonly BatchPart[]): Promise<readonly (readonly Logits[])[]> {
    const ids = parts.map(({ sequenceId }) => sequenceId);
    if (ids.some((id, index) => index > 0 && id <= (ids[index - 1] ?? -1))) {
      throw misuse(`a batch of the sequences ${ids}`);
    }
    const size = parts.reduce((sum, { tokens }) => sum + tokens.length, 0);
    if (size === 0 || size > this.batchSize) throw misuse(`a batch of ${size} tokens`);
    const rows = parts.reduce((sum, part) => sum + part.tokens.length - part.logitsFrom, 0);
    if (rows > this.maxOutputs) throw misuse(`a batch of ${rows} rows of logits`);
    this.#batch = "evaluating";
    await this.#perform({ kind: "evaluate", sequenceId: -1, parts }).finally(() => {
      const isAborted = this.#batch === "aborted";
      this.#batch = "none";
      if (isAborted) throw new BatchAborted(this.#keepPasses(parts));
    });
    this.#evaluated = [];
    this.#copying.clear();
    this.#lastPositions = new Map(parts.map(({ sequenceId, position }) => [sequenceId, position]));
    return parts.map(({ sequenceId, position, tokens, logitsFrom, draws }) => {
      const cells = this.#cellsOf(sequenceId);
      this.#expectNext(sequenceId, position);
      const before = cells.length;
      this.#fillCells(
        sequenceId,
        tokens.map((token, index) => {
          if (token < 0) throw misuse(`the token ${token}`);
          return tokenCell(token, position + index, this.#adapters);
        }),
      );
      return tokens.slice(logitsFrom).map((_, row) => {
        const seen = cells.slice(0, before + logitsFrom + row + 1);
        const evaluated = {
          sequenceId,
          tokens: seen.map(({ content }) => content),
          under: seen.map(({ under }) => under),
          draws,
        };
        return (this.#evaluated.push(evaluated) - 1) as Logits;
      });
    });
  }

  /** Evaluates the whole passes in the first half of an aborted batch. */
  #keepPasses(parts: readonly BatchPart[]): number[] {
    const size = parts.reduce((sum, { tokens }) => sum + tokens.length, 0);
    let left = size / 2 - ((size / 2) % this.passTokens);
    return parts.map(({ sequenceId, position, tokens, logitsFrom }) => {
      const kept = tokens.slice(0, Math.min(left, logitsFrom));
      left -= kept.length;
      this.#expectNext(sequenceId, position);
      this.#fillCells(
        sequenceId,
        kept.map((token, index) => tokenCell(token, position + index, this.#adapters)),
      );
      return kept.length;
    });
  }

  async evaluateMedia(piece: MediaPiece): Promise<void> {
    const { sequenceId, position, media, from, to } = piece;
    const { isCausal } = media;
    if (from < 0 || from >= to || to > media.cells) throw misuse(`the cells ${from} to ${to}`);
    if (to - from > this.batchSize) throw misuse(`a piece of ${to - from} cells`);
    if (!isCausal && to - from < media.cells) throw misuse("a part of cells that see each other");
    await this.#perform({ kind: "evaluate-media", sequenceId, parts: [], piece });
    this.#evaluated = [];
    this.#copying.clear();
    this.#lastPositions = new Map();
    if (from === 0) this.#expectNext(sequenceId, position);
    else this.#expectBegun(piece);
    const cells = cellsOf(media, position, this.#adapters).slice(from, to);
    if (cells.some(({ content }) => content >= MEDIA_CELL)) throw misuse("embeddings of nothing");
    this.#fillCells(sequenceId, cells);
  }

  /**
   * Checks that evaluated cells follow all held ones, with media complete and the same adapters.
   */
  #expectNext(sequenceId: number, position: number): void {
    const cells = this.#cellsOf(sequenceId);
    const { left = 0, next = 0 } = cells.at(-1) ?? {};
    if (left > 0) throw misuse(`sequence ${sequenceId} lacks ${left} cells of its media`);
    if (position !== next) throw misuse(`position ${position} where ${next} is next`);
    this.#expectTheirAdapters(cells);
  }

  #expectBegun({ sequenceId, position, media, from }: MediaPiece): void {
    const cells = this.#cellsOf(sequenceId);
    const begun = cellsOf(media, position, this.#adapters).slice(0, from);
    if (!isDeepStrictEqual(cells.slice(-from), begun)) {
      throw misuse(`cell ${from} of media at ${position}, of which those before are not held`);
    }
    this.#expectTheirAdapters(cells);
  }

  /** Keys and values of other adapters are of no use; adapters may apply from some token on. */
  #expectTheirAdapters(cells: readonly Cell[]): void {
    const last = cells.at(-1)?.under ?? NO_ADAPTERS;
    if (last === this.#adapters || last === NO_ADAPTERS) return;
    throw misuse(`adapters ${this.#adapters} after ${cells.length} cells, the last under ${last}`);
  }

  useAdapters(adapters: readonly AppliedAdapter[]): void {
    if (this.#busy) throw misuse("other adapters while a batch is evaluated");
    this.#adapters = JSON.stringify(adapters);
  }

  /** Never begins a batch ahead. */
  hold(): void {}

  rest(): void {}

  close(): void {}

  abort(): void {
    const canAbort = this.partialTruncation === "supported";
    if (canAbort && this.#batch === "evaluating") this.#batch = "aborted";
  }

  truncate(sequenceId: number, position: number): void {
    if (this.#busy) throw misuse("truncation while a batch is evaluated");
    const cells = this.#cellsOf(sequenceId);
    const end = cells.at(-1)?.next ?? 0;
    if (position > end) throw misuse(`positions up to ${end} truncated to ${position}`);
    if (position > 0 && !this.#canTruncate(sequenceId, position))
      throw misuse("partial truncation, which the model does not support");
    const call = { kind: "truncate", sequenceId, parts: [] } as const;
    this.calls.push(call);
    this.#onCall?.(call);
    if (position === 0) this.#firstPositions.delete(sequenceId);
    cells.length = cells.filter((cell) => cell.position < position).length;
    if ((cells.at(-1)?.left ?? 0) > 0) throw misuse(`truncation to ${position}, in media`);
  }

  clear(): void {
    if (this.#busy) throw misuse("clearing while a batch is evaluated");
    this.calls.push({ kind: "clear", sequenceId: -1, parts: [] });
    this.#firstPositions.clear();
    for (const cells of this.#cells) cells.length = 0;
  }

  async mark(sequenceId: number): Promise<StateMark> {
    if (this.retraction === "truncate") throw misuse("a mark of a state that can be truncated");
    if (this.#copying.has(sequenceId)) throw misuse("a mark before a copy has been carried out");
    await this.#perform({ kind: "mark", sequenceId, parts: [] });
    const marked = [...this.#cellsOf(sequenceId)];
    this.openMarks++;
    let status: "open" | "used" | "disposed" = "open";
    return {
      rewind: async () => {
        if (status !== "open") throw misuse(`rewinding to a mark that is ${status}`);
        status = "used";
        await this.#perform({ kind: "rewind", sequenceId, parts: [] });
        const cells = this.#cellsOf(sequenceId);
        const isSame = marked.every(({ content }, index) => content === cells[index]?.content);
        if (!isSame) throw misuse("a stale mark");
        cells.length = marked.length;
      },
      dispose: () => {
        if (status !== "disposed") this.openMarks--;
        status = "disposed";
      },
    };
  }

  async copy(from: number, to: number): Promise<void> {
    await this.#perform({ kind: "copy", sequenceId: to, parts: [] });
    if (this.layout.kind === "split") this.#copying.add(from).add(to);
    else if (this.#cellsOf(to).length > 0)
      throw misuse(`a copy to sequence ${to}, which is in use`);
    this.#cells[to] = [...this.#cellsOf(from)];
    this.#firstPositions.set(to, this.#firstPositions.get(from) ?? 0);
    this.#lastPositions.delete(to);
  }

  async save(sequenceId: number, tokens: readonly number[], path: string): Promise<number> {
    await this.#perform({ kind: "save", sequenceId, parts: [] });
    const cells = this.#cellsOf(sequenceId);
    if (tokens.join() !== tokensIn(cells).join()) throw misuse("saving other tokens");
    this.files.set(path, [...cells]);
    return tokens.length;
  }

  async restore(sequenceId: number, path: string): Promise<readonly number[]> {
    await this.#perform({ kind: "restore", sequenceId, parts: [] });
    this.#lastPositions.delete(sequenceId);
    const saved = this.files.get(path);
    if (saved === undefined) throw misuse(`no state at ${path}`);
    this.#cellsOf(sequenceId).length = 0;
    this.#firstPositions.delete(sequenceId);
    this.#fillCells(
      sequenceId,
      saved.map((cell) => ({ ...cell })),
    );
    return tokensIn(saved);
  }

  /** A token is the less probable the more tokens are before it; all others are equally probable. */
  async logProbabilities(
    tokens: readonly TokenOfRow[],
    top: number,
  ): Promise<readonly LogProbabilities[]> {
    return tokens.map(({ logits }) => {
      const evaluated = this.#evaluated[logits];
      if (evaluated === undefined) throw misuse(`logits ${logits} of an earlier batch`);
      const logProbability = -evaluated.tokens.length;
      return {
        logProbability,
        top: Array.from({ length: top }, (_, token) => ({ token, logProbability })),
      };
    });
  }

  createSampler({ promptTokens, generated, constraint }: SamplingContext): TokenSampler {
    this.openSamplers++;
    let open = true;
    let draws = 0;
    const textOf = (logits: Logits) => {
      if (!open) throw misuse("a sampler that was disposed of");
      const evaluated = this.#evaluated[logits];
      if (evaluated === undefined) throw misuse(`logits ${logits} of an earlier batch`);
      // A sampler without a prompt samples any sequence.
      const text = [...promptTokens, ...generated];
      const tokens = evaluated.tokens.filter((content) => content >= 0);
      const isOwn = promptTokens.length === 0 || tokens.join() === text.join();
      return { ...evaluated, text, isOwn };
    };
    // Like the companion, returns results that depend only on the batch together with it.
    const drawn = (logits: Logits) => {
      const { sequenceId, tokens, under, isOwn, draws: asked } = textOf(logits);
      const isPlain = asked?.replayedTokens.length === 0 && asked.scores === undefined;
      if (!isPlain || !isOwn || constraint !== undefined || this.#onCall) return undefined;
      this.calls.push({ kind: "sample", sequenceId, parts: [] });
      return { token: this.#next(tokens, draws++, under) };
    };
    const sample = async (logits: Logits) => {
      const { sequenceId, tokens, under, text, isOwn } = textOf(logits);
      const call = { kind: "sample", sequenceId, parts: [] } as const;
      this.calls.push(call);
      await this.#onCall?.(call);
      if (!isOwn) throw misuse(`sequence ${sequenceId} holds ${tokens}, not ${text}`);
      const drawn = this.#next(tokens, draws++, under);
      if (constraint === undefined || constraint.allows(drawn)) return drawn;
      return firstOf(constraint.allowedTokens());
    };
    return {
      getDrawn: drawn,
      sample,
      sampleScored: async (logits, top) => createCertainDraw(await sample(logits), top),
      dispose: () => {
        if (open) this.openSamplers--;
        open = false;
      },
    };
  }

  lowestCut(sequenceId: number): number {
    if (this.partialTruncation === "supported") return 0;
    if (this.#windowTokens === undefined) return Number.POSITIVE_INFINITY;
    const first = this.#firstPositions.get(sequenceId) ?? 0;
    return first === 0 ? 0 : first + this.#windowTokens - 1;
  }

  #canTruncate(sequenceId: number, position: number): boolean {
    if (position >= this.lowestCut(sequenceId)) return true;
    const lastPosition = this.#lastPositions.get(sequenceId) ?? Number.POSITIVE_INFINITY;
    return this.retraction === "truncate" && position > lastPosition;
  }

  #fillCells(sequenceId: number, added: readonly Cell[]): void {
    const cells = this.#cellsOf(sequenceId);
    for (const cell of added) cells.push(cell);
    const first = cells.length - 2 * (this.#windowTokens ?? Number.POSITIVE_INFINITY);
    if (first > (this.#firstPositions.get(sequenceId) ?? 0)) {
      this.#firstPositions.set(sequenceId, first);
    }
    const used = new Set(this.#cells.flat()).size;
    if (this.layout.kind === "unified" && used > this.layout.cells) {
      throw misuse(`${used} cells of a cache of ${this.layout.cells}`);
    }
  }

  #cellsOf(sequenceId: number): Cell[] {
    const cells = this.#cells[sequenceId];
    if (cells === undefined) throw misuse(`sequence ${sequenceId}`);
    return cells;
  }

  /** A call takes one iteration of the event loop, like a native batch. */
  async #perform(call: ContextCall): Promise<void> {
    if (this.#busy) throw misuse(`${call.kind} while another call is in flight`);
    this.#busy = true;
    try {
      this.calls.push(call);
      await this.#onCall?.(call);
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      this.#busy = false;
    }
  }
}

function tokenCell(token: number, position: number, under: string): Cell {
  return { content: token, position, next: position + 1, left: 0, under };
}

/** All cells of media, of which llama.cpp keeps the first axis of their positions. */
function cellsOf({ cells, rows, grid }: EncodedMedia, position: number, under: string): Cell[] {
  const width = rows.length / cells;
  const end = position + (grid === undefined ? cells : Math.max(...grid) + 1);
  return Array.from({ length: cells }, (_, index) => {
    const advance = grid === undefined ? index : (grid[3 * index] ?? 0);
    const next = grid === undefined ? position + index + 1 : end;
    const left = cells - index - 1;
    return { content: rows[index * width] ?? 0, position: position + advance, next, left, under };
  });
}

/** Tokens saved with the cells. */
function tokensIn(cells: readonly Cell[]): number[] {
  return cells.map(({ content }) => Math.max(content, MEDIA_CELL));
}

/** The first token of a mask that is one word long. */
function firstOf([bits = 0]: Uint32Array): number {
  if (bits === 0) throw misuse("a constraint that allows nothing");
  return 31 - Math.clz32(bits & -bits);
}

function misuse(what: string): Error {
  return new Error(`the contract of TokenContext is violated: ${what}`);
}
