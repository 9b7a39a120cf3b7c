import {
  type AppliedAdapter,
  BatchAborted,
  type BatchMixing,
  type BatchPart,
  type CacheLayout,
  certainDraw,
  type Logits,
  type LogProbabilities,
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
    | "sample";
  /** The sequence that is truncated, marked, copied to, saved, restored or sampled; −1: a batch, or all. */
  readonly sequenceId: number;
  readonly parts: readonly BatchPart[];
}

/** Runs inside a call: may delay, fail or observe it. */
export type CallHook = (call: ContextCall) => Promise<void> | undefined;

export interface SimulationOptions {
  readonly sequences: number;
  /** By default split. */
  readonly layout?: CacheLayout | undefined;
  /** By default together. */
  readonly mixing?: BatchMixing | undefined;
  readonly batchSize: number;
  /** By default as many as tokens. */
  readonly maxOutputs?: number | undefined;
  /**
   * The model: the token that follows the held tokens; `draw` counts its sampler's earlier draws, `under` says for each
   * of the tokens what adapters it was computed under.
   */
  readonly next: (held: readonly number[], draw: number, under: readonly string[]) => number;
  readonly onCall?: CallHook | undefined;
  readonly partialTruncation?: TokenContext["partialTruncation"] | undefined;
  /** By default `truncate` where any length can be truncated. */
  readonly retraction?: TokenContext["retraction"] | undefined;
  readonly copyMs?: number | undefined;
  /** By default it can. */
  readonly canClear?: boolean | undefined;
}

/** What a logits handle refers to. */
interface Evaluated {
  readonly sequenceId: number;
  readonly tokens: readonly number[];
  readonly under: readonly string[];
  readonly draws: BatchPart["draws"];
}

/** What a token is computed under without adapters. */
export const NO_ADAPTERS = "[]";

/** A context without a model. Every call that violates the contract of `TokenContext` throws. */
export class SimulatedContext implements TokenContext {
  readonly sequences: number;
  readonly layout: CacheLayout;
  readonly mixing: BatchMixing;
  readonly batchSize: number;
  readonly maxOutputs: number;
  readonly partialTruncation: TokenContext["partialTruncation"];
  readonly retraction: TokenContext["retraction"];
  readonly copyMs: number;
  readonly canClear: boolean;
  readonly calls: ContextCall[] = [];
  readonly #next: SimulationOptions["next"];
  readonly #onCall: CallHook | undefined;
  readonly #held: number[][];
  /** Under which adapters each of them was computed. */
  readonly #heldUnder: string[][];
  #adapters = NO_ADAPTERS;
  /** The cells of a unified cache, by sequence and position; shared ones are the same object. */
  readonly #cells: object[][];
  /** What was saved at each path. */
  protected readonly files = new Map<string, readonly number[]>();
  readonly #savedUnder = new Map<string, readonly string[]>();
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
    maxOutputs = batchSize,
    next,
    onCall,
    partialTruncation = "supported",
    retraction = partialTruncation === "supported" ? "truncate" : "rewind",
    copyMs = 0,
    canClear = true,
  }: SimulationOptions) {
    this.sequences = sequences;
    this.layout = layout;
    this.mixing = mixing;
    this.batchSize = batchSize;
    this.maxOutputs = maxOutputs;
    this.partialTruncation = partialTruncation;
    this.retraction = retraction;
    this.copyMs = copyMs;
    this.canClear = canClear;
    this.#next = next;
    this.#onCall = onCall;
    this.#held = Array.from({ length: sequences }, () => []);
    this.#heldUnder = Array.from({ length: sequences }, () => []);
    this.#cells = Array.from({ length: sequences }, () => []);
  }

  /** The batches that were evaluated. */
  get batches(): (readonly BatchPart[])[] {
    return this.calls.filter(({ kind }) => kind === "evaluate").map(({ parts }) => parts);
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
      if (isAborted) throw new BatchAborted();
    });
    this.#evaluated = [];
    this.#copying.clear();
    this.#lastPositions = new Map(parts.map(({ sequenceId, position }) => [sequenceId, position]));
    for (const { sequenceId, tokens } of parts) this.#fillCells(sequenceId, tokens.length);
    return parts.map(({ sequenceId, position, tokens, logitsFrom, draws }) => {
      const held = this.#heldBy(sequenceId);
      const heldUnder = this.#underOf(sequenceId);
      if (position !== held.length) throw misuse(`position ${position} after ${held.length}`);
      this.#expectTheirAdapters(heldUnder);
      return tokens.flatMap((token, index) => {
        held.push(token);
        heldUnder.push(this.#adapters);
        if (index < logitsFrom) return [];
        const evaluated = { sequenceId, tokens: [...held], under: [...heldUnder], draws };
        return [(this.#evaluated.push(evaluated) - 1) as Logits];
      });
    });
  }

  /** Keys and values of other adapters are of no use; adapters may apply from some token on. */
  #expectTheirAdapters(heldUnder: readonly string[]): void {
    const last = heldUnder.at(-1) ?? NO_ADAPTERS;
    if (last === this.#adapters || last === NO_ADAPTERS) return;
    throw misuse(
      `adapters ${this.#adapters} after ${heldUnder.length} tokens, the last under ${last}`,
    );
  }

  useAdapters(adapters: readonly AppliedAdapter[]): void {
    if (this.#busy) throw misuse("other adapters while a batch is evaluated");
    this.#adapters = JSON.stringify(adapters);
  }

  /** It begins nothing before it is asked to. */
  hold(): void {}

  close(): void {}

  abort(): void {
    const canAbort = this.partialTruncation === "supported";
    if (canAbort && this.#batch === "evaluating") this.#batch = "aborted";
  }

  truncate(sequenceId: number, length: number): void {
    if (this.#busy) throw misuse("truncation while a batch is evaluated");
    const held = this.#heldBy(sequenceId);
    if (length > held.length) throw misuse(`${held.length} tokens truncated to ${length}`);
    if (length > 0 && !this.#canTruncate(sequenceId, length))
      throw misuse("partial truncation, which the model does not support");
    const call = { kind: "truncate", sequenceId, parts: [] } as const;
    this.calls.push(call);
    this.#onCall?.(call);
    held.length = length;
    this.#underOf(sequenceId).length = length;
    this.#cellsOf(sequenceId).length = length;
  }

  clear(): void {
    if (this.#busy) throw misuse("clearing while a batch is evaluated");
    if (!this.canClear) throw misuse("clearing, which the library cannot do");
    this.calls.push({ kind: "clear", sequenceId: -1, parts: [] });
    for (const held of [...this.#held, ...this.#heldUnder]) held.length = 0;
    for (const cells of this.#cells) cells.length = 0;
  }

  async mark(sequenceId: number): Promise<StateMark> {
    if (this.retraction === "truncate") throw misuse("a mark of a state that can be truncated");
    if (this.#copying.has(sequenceId)) throw misuse("a mark before a copy has been carried out");
    await this.#perform({ kind: "mark", sequenceId, parts: [] });
    const marked = [...this.#heldBy(sequenceId)];
    this.openMarks++;
    let status: "open" | "used" | "disposed" = "open";
    return {
      rewind: async () => {
        if (status !== "open") throw misuse(`rewinding to a mark that is ${status}`);
        status = "used";
        await this.#perform({ kind: "rewind", sequenceId, parts: [] });
        const held = this.#heldBy(sequenceId);
        if (held.slice(0, marked.length).join() !== marked.join()) throw misuse("a stale mark");
        held.length = marked.length;
        this.#underOf(sequenceId).length = marked.length;
        this.#cellsOf(sequenceId).length = marked.length;
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
    else if (this.#heldBy(to).length > 0) throw misuse(`a copy to sequence ${to}, which is in use`);
    this.#cells[to] = [...this.#cellsOf(from)];
    this.#lastPositions.delete(to);
    this.#held[to] = [...this.#heldBy(from)];
    this.#heldUnder[to] = [...this.#underOf(from)];
  }

  async save(sequenceId: number, tokens: readonly number[], path: string): Promise<number> {
    await this.#perform({ kind: "save", sequenceId, parts: [] });
    if (tokens.join() !== this.#heldBy(sequenceId).join()) throw misuse("saving other tokens");
    this.files.set(path, [...tokens]);
    this.#savedUnder.set(path, [...this.#underOf(sequenceId)]);
    return tokens.length;
  }

  async restore(sequenceId: number, path: string): Promise<readonly number[]> {
    await this.#perform({ kind: "restore", sequenceId, parts: [] });
    this.#lastPositions.delete(sequenceId);
    const tokens = this.files.get(path);
    if (tokens === undefined) throw misuse(`no state at ${path}`);
    this.#held[sequenceId] = [...tokens];
    this.#heldUnder[sequenceId] = [
      ...(this.#savedUnder.get(path) ?? tokens.map(() => NO_ADAPTERS)),
    ];
    this.#cellsOf(sequenceId).length = 0;
    this.#fillCells(sequenceId, tokens.length);
    return [...tokens];
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
      const isOwn = promptTokens.length === 0 || evaluated.tokens.join() === text.join();
      return { ...evaluated, text, isOwn };
    };
    // As with the companion: what nothing but the batch decides comes with it.
    const drawn = (logits: Logits) => {
      const { sequenceId, tokens, under, isOwn, draws: asked } = textOf(logits);
      const isPlain = asked?.given.length === 0 && asked.scores === undefined;
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
      drawn,
      sample,
      sampleScored: async (logits, top) => certainDraw(await sample(logits), top),
      dispose: () => {
        if (open) this.openSamplers--;
        open = false;
      },
    };
  }

  #canTruncate(sequenceId: number, length: number): boolean {
    if (this.partialTruncation === "supported") return true;
    const lastPosition = this.#lastPositions.get(sequenceId) ?? Number.POSITIVE_INFINITY;
    return this.retraction === "truncate" && length > lastPosition;
  }

  #fillCells(sequenceId: number, count: number): void {
    const cells = this.#cellsOf(sequenceId);
    for (let index = 0; index < count; index++) cells.push({});
    const used = new Set(this.#cells.flat()).size;
    if (this.layout.kind === "unified" && used > this.layout.cells) {
      throw misuse(`${used} cells of a cache of ${this.layout.cells}`);
    }
  }

  #cellsOf(sequenceId: number): object[] {
    const cells = this.#cells[sequenceId];
    if (cells === undefined) throw misuse(`sequence ${sequenceId}`);
    return cells;
  }

  #heldBy(sequenceId: number): number[] {
    const held = this.#held[sequenceId];
    if (held === undefined) throw misuse(`sequence ${sequenceId}`);
    return held;
  }

  #underOf(sequenceId: number): string[] {
    const under = this.#heldUnder[sequenceId];
    if (under === undefined) throw misuse(`sequence ${sequenceId}`);
    return under;
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

/** The first token of a mask that is one word long. */
function firstOf([bits = 0]: Uint32Array): number {
  if (bits === 0) throw misuse("a constraint that allows nothing");
  return 31 - Math.clz32(bits & -bits);
}

function misuse(what: string): Error {
  return new Error(`the contract of TokenContext is violated: ${what}`);
}
