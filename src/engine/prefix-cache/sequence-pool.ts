import assert from "node:assert/strict";
import type { CacheTier } from "../../core/engine-statistics.js";
import type { TokenContext } from "../llama/token-context.js";
import { CellBudget } from "./cell-budget.js";
import type { HeldPart } from "./cell-ledger.js";
import { planCheckpoints } from "./checkpoint-plan.js";
import { commonPrefixLength } from "./common-prefix.js";
import { DraftMarks } from "./draft-marks.js";
import { SavedStates } from "./saved-states.js";
import {
  minCopyTokens,
  type PlaceableSequence,
  type Placement,
  placePrompt,
  type Reuse,
  type StoredState,
  spareSequence,
} from "./sequence-placement.js";
import { type Lease, type SequenceRecord, SequenceRecords } from "./sequence-records.js";
import type { StateStore } from "./state-store.js";

/** A leased sequence, prepared for a prompt. */
export interface PlacedPrompt {
  readonly lease: Lease;
  /** Prompt tokens that the sequence holds already. */
  readonly cachedTokens: number;
  /** Where they were; meaningless if there are none. */
  readonly cachedIn: CacheTier;
}

/** What the sequences hold, and what they have lost. */
export interface SequencePoolCounters {
  /** Cells that leases hold; in the split layout, tokens. */
  readonly busyCells: number;
  /** Cells that only keep prefixes. */
  readonly cachedCells: number;
  /** Idle prefixes, most of which gave way to another prompt. */
  readonly evicted: number;
}

/** Steps that a gap among the busy sequences must last before a state is moved into it. */
const MIN_GAP_STEPS = 4;

export interface SequencePoolOptions {
  readonly context: TokenContext;
  /** Where states go before they are overwritten; without one they are lost. */
  readonly store?: StateStore | undefined;
  /** What evaluating a prompt token costs, which copies and saved states have to save. */
  readonly msPerPrefillToken: () => number | undefined;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/**
 * Leases the sequences of a context to prompts. Released sequences keep their tokens as a prefix
 * cache. The records and llama.cpp's state change together: every native truncation, rewinding, copy
 * and restore of a sequence happens here.
 */
export class SequencePool {
  readonly #options: SequencePoolOptions;
  readonly #reuse: Reuse;
  readonly #records: SequenceRecords;
  readonly #budget: CellBudget;
  /** Ids of both sides of pending copies: llama.cpp carries them out with the next batch. */
  readonly #copying = new Set<number>();
  readonly #marks: DraftMarks;
  readonly #saved: SavedStates;
  /** Consecutive steps with a gap. */
  #gapSteps = 0;
  #evicted = 0;

  constructor(options: SequencePoolOptions) {
    this.#options = options;
    const { context, store, msPerPrefillToken, now } = options;
    if (context.partialTruncation === "supported") this.#reuse = "common-prefix";
    else this.#reuse = store === undefined ? "none" : "checkpoints";
    this.#records = new SequenceRecords(context.sequences);
    this.#budget = new CellBudget(context.layout, this.#records);
    this.#marks = new DraftMarks(context);
    this.#saved = new SavedStates({ store, reuse: this.#reuse, msPerPrefillToken, now });
  }

  /** Whether any sequence can still be used, now or later. */
  get isUsable(): boolean {
    return this.#records.all.some(({ status }) => status !== "lost");
  }

  get counters(): SequencePoolCounters {
    const busy = this.#records.all.filter(({ status }) => status === "busy");
    const [busyCells, heldCells] =
      this.#options.context.layout.kind === "unified"
        ? [
            this.#records.cellsOf(busy.map(({ id }) => ({ sequenceId: id }))),
            this.#records.usedCells,
          ]
        : [heldBy(busy), heldBy(this.#records.all)];
    return { busyCells, cachedCells: heldCells - busyCells, evicted: this.#evicted };
  }

  /**
   * Leases the sequence that suits a prompt best, holding what it shares with the prompt.
   * @param reservedTokens that the generation may hold before it asks for more; matters in the unified
   *   layout, where idle prefixes are evicted to keep that promise
   * @param reuse `nothing`: all of the prompt is to be evaluated, whatever is held of it
   * @returns `full` when no sequence is idle or the cells are promised to others, `later` when waiting
   *   for another prompt saves tokens
   * @throws when llama.cpp cannot prepare the sequence; it is idle and empty then
   */
  async acquire(
    promptTokens: readonly number[],
    reservedTokens = promptTokens.length,
    reuse: "prefix" | "nothing" = "prefix",
  ): Promise<PlacedPrompt | "full" | "later"> {
    const { context, msPerPrefillToken } = this.#options;
    const reusable = reuse === "prefix" ? promptTokens : [];
    const placement = placePrompt(this.#placeable, this.#saved.all, reusable, {
      reuse: this.#reuse,
      minCopyTokens: minCopyTokens(context.copyMs, msPerPrefillToken()),
    });
    if (placement === undefined) return "full";
    if (placement.kind === "wait") {
      if (this.#reuse === "checkpoints") {
        this.#records.addCheckpoint(placement.for, placement.sharedTokens);
      }
      return "later";
    }
    if (placement.kind === "restore" && this.#mustWaitForCopy(placement.to)) return "later";
    const kept = keptBy(placement);
    if (!this.#budget.hasRoom(reservedTokens - (kept?.length ?? 0), kept && [kept])) return "full";
    const { to, sharedTokens } = placement;
    const cachedIn = this.#tierOf(placement);
    const lease = this.#records.occupy(to, {
      promptTokens,
      checkpoints: this.#planCheckpoints(promptTokens, sharedTokens),
      reservedTokens,
    });
    try {
      const keptTokens = placement.kind === "reuse" ? sharedTokens : 0;
      if (keptTokens < lease.heldTokens.length / 2) this.#evicted++;
      await this.#saved.saveIfWorthwhile(to, lease.heldTokens, keptTokens);
      if (placement.kind === "copy") await this.#copy(placement.from, to);
      if (placement.kind === "restore") await this.#restore(placement.from, to);
      this.#truncate(to, Math.min(sharedTokens, lease.heldTokens.length));
      await this.#makeRoom(0);
      assert(
        lease.heldTokens.length < promptTokens.length,
        "the last token of a prompt is cached, but its logits are needed",
      );
    } catch (error) {
      this.#empty(to);
      throw error;
    }
    return { lease, cachedTokens: lease.heldTokens.length, cachedIn };
  }

  /**
   * Closes a gap that lasts: moves the busy state of the highest id to the lowest idle one. To be
   * called once a step. llama.cpp evaluates consecutive sequences together, and each gap costs
   * every step another pass over the weights.
   */
  async pack(): Promise<void> {
    if (this.#options.context.layout.kind === "unified") return;
    const gap = this.#records.all.find(({ status }) => status === "idle");
    const last = this.#records.all.findLast(({ status }) => status === "busy");
    const isGap = gap !== undefined && last !== undefined && gap.id < last.id;
    this.#gapSteps = isGap ? this.#gapSteps + 1 : 0;
    if (!isGap || this.#gapSteps < MIN_GAP_STEPS) return;
    await this.#saved.saveIfWorthwhile(gap.id, gap.heldTokens, 0);
    if (gap.heldTokens.length > 0) this.#evicted++;
    try {
      await this.#copy(last.id, gap.id);
    } catch {
      this.#empty(gap.id);
      this.#gapSteps = 0;
      return;
    }
    this.#records.move(last.id, gap.id);
    this.#empty(last.id);
  }

  /** Tokens to the next checkpoint of a sequence. */
  tokensToCheckpoint({ sequenceId }: Lease): number {
    const { checkpoints, heldTokens } = this.#records.get(sequenceId);
    const [next = Number.POSITIVE_INFINITY] = checkpoints;
    return next - heldTokens.length;
  }

  /** Records tokens that have been evaluated on a sequence. */
  append(lease: Lease, tokens: readonly number[]): void {
    this.#copying.clear();
    this.#records.append(lease, tokens);
  }

  /** Saves a sequence's state if it has reached a checkpoint. */
  async saveCheckpoint(lease: Lease): Promise<void> {
    if (this.tokensToCheckpoint(lease) > 0) return;
    this.#records.passCheckpoint(lease);
    await this.#saved.save(lease.sequenceId, lease.heldTokens);
  }

  /** The prompt is evaluated: other prompts no longer wait for it. */
  endPrefill(lease: Lease): void {
    this.#records.endPrefill(lease);
  }

  /**
   * Whether sequences can be prepared for drafts: a state that is copied with the next batch cannot be
   * marked before it.
   */
  get isReadyForDrafts(): boolean {
    return this.#options.context.retraction === "truncate" || this.#copying.size === 0;
  }

  /** Prepares a sequence for a batch with a draft, of which {@link keep} may take tokens back. */
  async prepareForDraft({ sequenceId, heldTokens }: Lease): Promise<void> {
    const { context } = this.#options;
    if (context.retraction === "truncate") return;
    await this.#marks.set(sequenceId, heldTokens.length);
  }

  /**
   * Keeps the first `length` tokens after a batch with a draft. Where the others cannot be truncated,
   * those of the whole batch are lost: the sequence holds fewer tokens then.
   */
  async keep({ sequenceId, heldTokens }: Lease, length: number): Promise<void> {
    if (!this.#marks.has(sequenceId)) this.#truncate(sequenceId, length);
    else if (length < heldTokens.length) {
      this.#records.truncate(sequenceId, await this.#marks.rewind(sequenceId));
    }
    this.#marks.drop(sequenceId);
  }

  /** Whether a generation may hold so many tokens more. */
  hasReserved({ sequenceId, heldTokens }: Lease, tokens: number): boolean {
    if (this.#options.context.layout.kind === "split") return true;
    return heldTokens.length + tokens <= this.#records.get(sequenceId).reservedTokens;
  }

  /**
   * Lets a generation hold more tokens; idle prefixes are evicted for it.
   * @returns whether there is room
   */
  async grow(lease: Lease, reservedTokens: number): Promise<boolean> {
    const more = reservedTokens - this.#records.get(lease.sequenceId).reservedTokens;
    if (!this.#budget.hasRoom(more)) return false;
    this.#records.reserve(lease, reservedTokens);
    await this.#makeRoom(0);
    return true;
  }

  /**
   * Makes room for tokens beyond what is promised, such as drafts.
   * @returns whether there is room
   */
  async makeRoom(tokens: number): Promise<boolean> {
    if (!this.#budget.hasRoom(tokens)) return false;
    await this.#makeRoom(tokens);
    return true;
  }

  /** Whether states can be saved at all. */
  get canSave(): boolean {
    return this.#saved.areKept;
  }

  /** What a sequence has if the cells are divided evenly; 0 in the split layout. */
  get shareTokens(): number {
    const { layout, sequences } = this.#options.context;
    return layout.kind === "split" ? 0 : Math.floor(layout.cells / sequences);
  }

  /**
   * Saves the state of a generation and ends its lease; it goes on with {@link acquire}. What cannot be
   * saved is evaluated again.
   */
  async suspend(lease: Lease): Promise<void> {
    await this.#saved.save(lease.sequenceId, lease.heldTokens);
    this.release(lease);
  }

  /** Ends a lease; the tokens stay cached. */
  release(lease: Lease): void {
    this.#marks.drop(lease.sequenceId);
    this.#records.release(lease);
  }

  /**
   * Ends a lease, if it has not ended yet, and empties the sequence: after a failure its state
   * cannot be trusted. A sequence that cannot be emptied is not used again.
   */
  abandon({ sequenceId }: Lease): void {
    this.#empty(sequenceId);
  }

  /**
   * Saves what the next prompt would overwrite, so that its admission need not wait for it. To be
   * called while there is nothing to evaluate.
   * @returns whether anything was saved
   */
  async saveAhead(): Promise<boolean> {
    const spare = spareSequence(this.#placeable);
    const next = this.#budget.isTight ? this.#budget.nextEvicted : spare;
    return next !== undefined && this.#saved.saveIfWorthwhile(next.id, next.heldTokens, 0);
  }

  /**
   * Saves all idle conversations that are worth it, if a store keeps them beyond the process; the pool
   * is not used afterwards.
   */
  async saveAll(): Promise<void> {
    if (!this.#saved.outliveProcess) return;
    for (const { id, heldTokens, status } of this.#records.all) {
      if (status === "idle") await this.#saved.saveIfWorthwhile(id, heldTokens, 0);
    }
  }

  #empty(id: number): void {
    this.#marks.drop(id);
    this.#records.replace(id, []);
    this.#records.vacate(id);
    try {
      this.#options.context.truncate(id, 0);
    } catch {
      this.#records.lose(id);
    }
  }

  /** Evicts idle prefixes until so many cells are neither held nor promised. */
  async #makeRoom(cells: number): Promise<void> {
    while (this.#budget.spareCells < cells) {
      const evicted = this.#budget.nextEvicted;
      assert(evicted !== undefined, "more cells are promised than there are");
      await this.#saved.saveIfWorthwhile(evicted.id, evicted.heldTokens, 0);
      this.#empty(evicted.id);
      this.#evicted++;
    }
  }

  #tierOf(placement: Exclude<Placement, { kind: "wait" }>): CacheTier {
    if (placement.kind !== "restore") return "kv";
    return this.#saved.tierOf(placement.from) ?? "kv";
  }

  #planCheckpoints(promptTokens: readonly number[], heldTokens: number): number[] {
    if (this.#reuse !== "checkpoints") return [];
    const seen = [
      ...this.#records.all.flatMap(({ heldTokens, prefilling = [] }) => [heldTokens, prefilling]),
      ...this.#saved.all.map(({ tokens }) => tokens),
    ];
    return planCheckpoints({
      promptTokens: promptTokens.length,
      heldTokens,
      savedTokens: this.#saved.tokensOf(promptTokens),
      sharedTokens: Math.max(...seen.map((tokens) => commonPrefixLength(tokens, promptTokens))),
    });
  }

  get #placeable(): PlaceableSequence[] {
    return this.#records.all.flatMap((record) =>
      record.status === "lost" ? [] : [{ ...record, status: record.status }],
    );
  }

  /** Whether a pending copy of the sequence will be carried out: until then it cannot be restored. */
  #mustWaitForCopy(id: number): boolean {
    const isBatchComing = this.#records.all.some(({ status }) => status === "busy");
    return this.#copying.has(id) && isBatchComing;
  }

  async #copy(from: number, to: number): Promise<void> {
    const { context } = this.#options;
    const isUnified = context.layout.kind === "unified";
    if (isUnified) this.#truncate(to, 0);
    await context.copy(from, to);
    if (!isUnified) this.#copying.add(from).add(to);
    this.#records.copy(from, to);
  }

  /** Leaves the sequence empty when the state cannot be read: the prompt is evaluated then. */
  async #restore(from: StoredState, to: number): Promise<void> {
    if (this.#options.context.layout.kind === "unified") {
      this.#truncate(to, 0);
      await this.#makeRoom(0);
    }
    const isRestored = !this.#copying.has(to) && (await this.#saved.restore(from, to));
    if (!isRestored) this.#options.context.truncate(to, 0);
    this.#records.replace(to, isRestored ? from.tokens : []);
  }

  #truncate(id: number, length: number): void {
    if (length === this.#records.get(id).heldTokens.length) return;
    this.#records.truncate(id, length);
    this.#options.context.truncate(id, length);
  }
}

/** What stays held when a prompt is placed, of sequences that may be idle. */
function keptBy(placement: Exclude<Placement, { kind: "wait" }>): HeldPart | undefined {
  const { kind, sharedTokens: length } = placement;
  if (kind === "restore") return undefined;
  return { sequenceId: kind === "reuse" ? placement.to : placement.from, length };
}

function heldBy(records: readonly Pick<SequenceRecord, "heldTokens">[]): number {
  return records.reduce((sum, { heldTokens }) => sum + heldTokens.length, 0);
}
