import assert from "node:assert/strict";
import type { CacheTier } from "../../core/engine-statistics.js";
import { GgufdError, refusalOf } from "../../core/errors.js";
import type { TokenContext } from "../llama/token-context.js";
import { CellBudget } from "./cell-budget.js";
import type { HeldPart } from "./cell-ledger.js";
import { planCheckpoints } from "./checkpoint-plan.js";
import { areEqual, commonPrefixLength } from "./common-prefix.js";
import { DraftMarks } from "./draft-marks.js";
import { type SavableState, SavedStates } from "./saved-states.js";
import {
  MIN_COPY_TOKENS,
  minCopyTokens,
  type PlaceableSequence,
  type Placement,
  type PlacementPolicy,
  placePrompt,
  type Reuse,
  type StoredState,
  spareSequence,
} from "./sequence-placement.js";
import { type Lease, ownersOf, type SequenceRecord, SequenceRecords } from "./sequence-records.js";
import { noOwners, type StateOwners, tokensOwnedBy } from "./state-owners.js";
import type { StateStore } from "./state-store.js";

/**
 * What a prompt takes of what is held. `prefix`: its beginning. `nothing`: all of it is evaluated. `anew`: the
 * same, in slices and in cells that depend on the prompt alone, as long as no other generation runs.
 */
export type PromptReuse = "prefix" | "nothing" | "anew";

/** For whom a sequence is leased, and which. */
export interface AcquireOptions {
  readonly reuse?: PromptReuse;
  readonly owner?: string | undefined;
  /** The sequence that is taken if it is idle. */
  readonly slot?: number | undefined;
}

/** A leased sequence, prepared for a prompt. */
export interface PlacedPrompt {
  readonly lease: Lease;
  /** Prompt tokens that the sequence holds already. */
  readonly cachedTokens: number;
  /**
   * What the owner may be told of that: as many as would be cached if everybody else's prompts had left nothing. How
   * much another one's shares with this would let it guess that prompt.
   */
  readonly knownTokens: number;
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

  /** Whether a sequence waits for a prompt. */
  get hasIdle(): boolean {
    return this.#records.all.some(({ status }) => status === "idle");
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
   * @returns `full` when no sequence is idle or the cells are promised to others, `later` when waiting
   *   for another prompt saves tokens
   * @throws when llama.cpp cannot prepare the sequence; it is idle and empty then
   */
  async acquire(
    promptTokens: readonly number[],
    reservedTokens = promptTokens.length,
    { reuse = "prefix", owner, slot }: AcquireOptions = {},
  ): Promise<PlacedPrompt | "full" | "later"> {
    this.#clean();
    const { context, msPerPrefillToken } = this.#options;
    const reusable = reuse === "prefix" ? promptTokens : [];
    const policy = {
      reuse: this.#reuse,
      minCopyTokens: minCopyTokens(context.copyMs, msPerPrefillToken()),
      preferred: slot,
    };
    const placement = this.#place(reusable, reservedTokens, policy);
    if (typeof placement === "string") return placement;
    const { to, sharedTokens } = placement;
    const cachedIn = this.#tierOf(placement);
    const before = { ...this.#records.get(to) };
    const ownTokens = owner === undefined ? sharedTokens : this.#ownTokens(owner, reusable, policy);
    const lease = this.#records.occupy(to, {
      promptTokens,
      owner,
      checkpoints: this.#planCheckpoints(promptTokens, reuse, sharedTokens),
      reservedTokens,
      place: slot === to ? "stays" : "may-move",
    });
    try {
      const keptTokens = placement.kind === "reuse" ? sharedTokens : 0;
      if (keptTokens < lease.heldTokens.length / 2) this.#evicted++;
      await this.#saved.saveIfWorthwhile(before, keptTokens);
      if (reuse === "anew") await this.#freeCells(to);
      if (placement.kind === "copy") await this.#copy(placement.from, to);
      if (placement.kind === "restore") {
        const isClean = await this.#restore(placement.from, to);
        if (!isClean) return this.acquire(promptTokens, reservedTokens, { reuse, owner, slot });
      }
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
    const cachedTokens = lease.heldTokens.length;
    const isRead = cachedTokens === sharedTokens;
    // Where another one's state is used because it shares nearly as much, that is not told either.
    const knownTokens = isRead ? ownTokens : Math.min(ownTokens, cachedTokens);
    return { lease, cachedTokens, knownTokens, cachedIn };
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
    const isGap = gap !== undefined && last?.place === "may-move" && gap.id < last.id;
    this.#gapSteps = isGap ? this.#gapSteps + 1 : 0;
    if (!isGap || this.#gapSteps < MIN_GAP_STEPS) return;
    await this.#saved.saveIfWorthwhile(gap, 0);
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
    await this.#saved.save(this.#records.get(lease.sequenceId));
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
    await this.#saved.save(this.#records.get(lease.sequenceId));
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
   * Ends a lease whose state has led to logits that are not finite: they stand in its cells, and in those of the
   * idle sequences and the saved states that it may come from, or that come from it. Saved ones are dropped. Such a
   * sequence is not used, and in the unified layout none is leased, until none is busy and all cells can be
   * overwritten.
   */
  condemn({ sequenceId, heldTokens }: Lease): void {
    const condemned = [...heldTokens];
    this.#saved.drop(condemned);
    this.#soil(sequenceId);
    for (const { id, status, heldTokens } of this.#records.all) {
      if (status !== "idle") continue;
      if (commonPrefixLength(heldTokens, condemned) >= MIN_COPY_TOKENS) this.#soil(id);
    }
  }

  /** Number of sequences. */
  get slots(): number {
    return this.#records.all.length;
  }

  /** What a sequence holds. */
  heldTokens(id: number): readonly number[] {
    return this.#records.get(id).heldTokens;
  }

  /**
   * Whether {@link write}, {@link load} and {@link erase} can be called for a sequence: `at-rest`. `in-use`: not
   * before another batch; `lost`: never again.
   */
  useOf(id: number): "at-rest" | "in-use" | "lost" {
    this.#clean();
    const { status } = this.#records.get(id);
    if (status === "lost") return "lost";
    return status === "idle" && !this.#mustWaitForCopy(id) ? "at-rest" : "in-use";
  }

  /**
   * Writes what a sequence at rest holds to a file.
   * @returns the size of the file in bytes
   */
  async write(id: number, path: string): Promise<number> {
    this.#assertWhole(id);
    return this.#options.context.save(id, this.heldTokens(id), path);
  }

  /**
   * Replaces what a sequence at rest holds with what a file has, as if it had been used just now.
   * @throws {GgufdError} `server_overloaded` where its tokens have no room now, `invalid_request` where they never have
   */
  async load(
    id: number,
    { path, tokens }: { readonly path: string; readonly tokens: readonly number[] },
  ): Promise<void> {
    this.#assertWhole(id);
    const { context } = this.#options;
    if (context.layout.kind === "unified" && tokens.length > context.layout.cells) {
      throw doesNotFit(tokens.length);
    }
    if (!this.#budget.hasRoom(tokens.length)) throw noSlotState(id, "has no room for it");
    await this.#saved.saveIfWorthwhile(this.#records.get(id), 0);
    const lease = this.#records.occupy(id, {
      promptTokens: tokens,
      checkpoints: [],
      reservedTokens: tokens.length,
    });
    try {
      this.#truncate(id, 0);
      await this.#makeRoom(0);
      const restored = await context.restore(id, path);
      assert(areEqual(restored, tokens), "it is the state of other tokens");
    } catch (cause) {
      this.#soil(id);
      throw doesNotFit(tokens.length, cause);
    }
    this.#records.replace(id, tokens);
    this.release(lease);
  }

  /**
   * Empties a sequence at rest.
   * @returns how many tokens it held
   */
  erase(id: number): number {
    assert(this.useOf(id) === "at-rest", `sequence ${id} is emptied while it is used`);
    const { length } = this.heldTokens(id);
    this.#empty(id);
    return length;
  }

  /**
   * Saves what the next prompt would overwrite, so that its admission need not wait for it. To be
   * called while there is nothing to evaluate.
   * @returns whether anything was saved
   */
  async saveAhead(): Promise<boolean> {
    const spare = spareSequence(this.#placeable);
    const next = this.#budget.isTight ? this.#budget.nextEvicted : spare;
    return next !== undefined && this.#saved.saveIfWorthwhile(this.#records.get(next.id), 0);
  }

  /**
   * Saves all idle conversations that are worth it, if a store keeps them beyond the process; the pool
   * is not used afterwards.
   */
  async saveAll(): Promise<void> {
    if (!this.#saved.outliveProcess) return;
    for (const record of this.#records.all) {
      if (record.status === "idle") await this.#saved.saveIfWorthwhile(record, 0);
    }
  }

  /** Where a prompt goes now, if it can go anywhere. */
  #place(
    promptTokens: readonly number[],
    reservedTokens: number,
    policy: PlacementPolicy,
  ): Exclude<Placement, { kind: "wait" }> | "full" | "later" {
    if (this.#isUnclean && this.#options.context.layout.kind === "unified") return "full";
    const placement = placePrompt(this.#placeable, this.#saved.all, promptTokens, policy);
    if (placement === undefined) return "full";
    if (placement.kind === "wait") {
      if (this.#reuse === "checkpoints") {
        this.#records.addCheckpoint(placement.for, placement.sharedTokens);
      }
      return "later";
    }
    if (placement.kind === "restore" && this.#mustWaitForCopy(placement.to)) return "later";
    const kept = keptBy(placement);
    const newTokens = reservedTokens - (kept?.length ?? 0);
    return this.#budget.hasRoom(newTokens, kept && [kept]) ? placement : "full";
  }

  /** @throws {GgufdError} `server_overloaded` while a copy of it waits for a batch */
  #assertWhole(id: number): void {
    assert(
      this.useOf(id) === "at-rest",
      `the state of sequence ${id} is asked for while it is used`,
    );
    if (this.#copying.has(id)) throw noSlotState(id, "is being copied");
  }

  /** Empties a sequence that is used again when its cells are overwritten, if they can be. */
  #soil(id: number): void {
    this.#empty(id);
    if (this.#options.context.canClear) this.#records.soil(id);
  }

  get #isUnclean(): boolean {
    return this.#records.all.some(({ status }) => status === "unclean");
  }

  /** Overwrites all cells, should it be necessary and possible; no prefix is held afterwards. */
  #clean(): void {
    if (!this.#isUnclean || this.#records.all.some(({ status }) => status === "busy")) return;
    this.#options.context.clear();
    this.#records.clear();
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
      await this.#evict(evicted);
    }
  }

  /**
   * Evicts all prefixes if no other sequence is busy. In the unified layout the cells that are free decide
   * where a prompt goes, and that decides in which order attention adds up.
   */
  async #freeCells(leased: number): Promise<void> {
    if (this.#options.context.layout.kind === "split") return;
    const others = this.#records.all.filter(({ id }) => id !== leased);
    if (others.some(({ status }) => status === "busy")) return;
    for (const record of others) if (record.heldTokens.length > 0) await this.#evict(record);
  }

  async #evict(record: SavableState): Promise<void> {
    await this.#saved.saveIfWorthwhile(record, 0);
    this.#empty(record.id);
    this.#evicted++;
  }

  /** How much of a prompt would be cached if everybody but its owner had left nothing. */
  #ownTokens(owner: string, promptTokens: readonly number[], policy: PlacementPolicy): number {
    const owned = (tokens: readonly number[], owners: StateOwners = noOwners) =>
      tokensOwnedBy(owner, tokens, owners, this.#reuse === "common-prefix");
    const sequences = this.#placeable.map((sequence) => ({
      ...sequence,
      heldTokens: owned(sequence.heldTokens, ownersOf(sequence)),
      prefilling: sequence.owner === owner ? (sequence.prefilling ?? []) : [],
    }));
    const saved = this.#saved.all.map(({ tokens, owners }) => ({ tokens: owned(tokens, owners) }));
    return placePrompt(sequences, saved, promptTokens, policy)?.sharedTokens ?? 0;
  }

  #tierOf(placement: Exclude<Placement, { kind: "wait" }>): CacheTier {
    if (placement.kind !== "restore") return "kv";
    return this.#saved.tierOf(placement.from) ?? "kv";
  }

  #planCheckpoints(
    promptTokens: readonly number[],
    reuse: PromptReuse,
    heldTokens: number,
  ): number[] {
    if (this.#reuse !== "checkpoints") return [];
    if (reuse === "anew") {
      const nothing = { heldTokens: 0, savedTokens: 0, sharedTokens: 0 };
      return planCheckpoints({ promptTokens: promptTokens.length, ...nothing });
    }
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

  get #placeable(): (SequenceRecord & PlaceableSequence)[] {
    return this.#records.all.flatMap((record) => {
      const { status } = record;
      return status === "idle" || status === "busy" ? [{ ...record, status }] : [];
    });
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

  /**
   * Leaves the sequence empty when the state cannot be read: the prompt is evaluated then.
   * @returns whether the sequence can be used; if not, its lease has ended
   */
  async #restore(from: StoredState, to: number): Promise<boolean> {
    if (this.#options.context.layout.kind === "unified") {
      this.#truncate(to, 0);
      await this.#makeRoom(0);
    }
    const restoration = this.#copying.has(to) ? "untouched" : await this.#saved.restore(from, to);
    if (restoration === "undefined-cells" && this.#options.context.canClear) {
      this.#soil(to);
      return false;
    }
    if (restoration !== "restored") this.#options.context.truncate(to, 0);
    if (restoration === "restored") this.#records.replace(to, from.tokens, from.owners);
    else this.#records.replace(to, []);
    return true;
  }

  #truncate(id: number, length: number): void {
    if (length === this.#records.get(id).heldTokens.length) return;
    this.#records.truncate(id, length);
    this.#options.context.truncate(id, length);
  }
}

function noSlotState(id: number, reason: string): GgufdError {
  const message = `The state of slot ${id} cannot be saved or restored now: the cache ${reason}.`;
  return new GgufdError("server_overloaded", message, { retryAfterSeconds: 1 });
}

function doesNotFit(tokens: number, cause?: unknown): GgufdError {
  const reason = `expected a state that fits, but llama.cpp cannot restore its ${tokens} tokens here`;
  return refusalOf("invalid_request", [{ field: "filename", reason }], { cause });
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
