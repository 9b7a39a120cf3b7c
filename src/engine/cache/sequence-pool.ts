import assert from "node:assert/strict";
import type { CacheTier } from "../../core/engine-statistics.js";
import type { TokenContext } from "../native/token-context.js";
import { CellBudget } from "./cell-budget.js";
import { DraftMarks } from "./draft-marks.js";
import {
  copyIdentity,
  countCommonCells,
  createEmptyIdentity,
  type PromptIdentity,
  type PromptSegment,
} from "./prompt-identity.js";
import { PromptPlacer, type PromptReuse } from "./prompt-placer.js";
import { SavedStates } from "./saved-states.js";
import {
  computeMinCopyTokens,
  findSpareSequence,
  MIN_COPY_TOKENS,
  type Reuse,
} from "./sequence-placement.js";
import {
  type Continuation,
  type Lease,
  type SequenceRecord,
  SequenceRecords,
} from "./sequence-records.js";
import { SequenceStates } from "./sequence-states.js";
import { SlotStates } from "./slot-states.js";
import type { StateStore } from "./state-store.js";

/** Options for leasing a sequence. */
export interface AcquireOptions {
  readonly reuse?: PromptReuse;
  readonly owner?: string | undefined;
  /** The sequence to lease if it is idle. */
  readonly slot?: number | undefined;
  /** Expected continuation of the sequence after the lease; `conversation` by default. */
  readonly keptFor?: Continuation | undefined;
}

/** A leased sequence, prepared for a prompt. */
export interface PlacedPrompt {
  readonly lease: Lease;
  /** Number of prompt tokens that the sequence already holds. */
  readonly cachedTokens: number;
  /**
   * Number of cached tokens that may be reported to the owner: as many as would be cached if only the owner's prompts
   * had been evaluated. Reporting prefixes shared with other owners' prompts would let a client guess those prompts.
   */
  readonly reportableTokens: number;
  /** Tier in which the cached tokens were found; meaningless if there are none. */
  readonly cachedIn: CacheTier;
}

/** Metrics of the sequences and their cells. */
export interface SequencePoolCounters {
  /** Cells held by leased sequences; in the split layout, tokens. */
  readonly busyCells: number;
  /** Cells that only hold cached prefixes. */
  readonly cachedCells: number;
  /** Number of evicted prefixes, most of them evicted to make room for another prompt. */
  readonly evicted: number;
}

/** Number of steps that a gap among the busy sequences must last before a state is moved into it. */
const MIN_GAP_STEPS = 4;

export interface SequencePoolOptions {
  readonly context: TokenContext;
  /** Saves states before they are overwritten; absent: overwritten states are discarded. */
  readonly store?: StateStore | undefined;
  /** Time to evaluate a prompt token, in milliseconds; copying and saving states must be faster. */
  readonly msPerPrefillToken: () => number | undefined;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/**
 * Leases the sequences of a context to prompts. Released sequences keep their tokens as a prefix cache.
 * `prompt-placer.ts` decides where a prompt goes; `sequence-states.ts` changes llama.cpp's KV cache.
 */
export class SequencePool {
  readonly #options: SequencePoolOptions;
  readonly #records: SequenceRecords;
  readonly #budget: CellBudget;
  readonly #marks: DraftMarks;
  readonly #saved: SavedStates;
  readonly #states: SequenceStates;
  readonly #placer: PromptPlacer;
  /** Slot operations of the operator, on sequences without a generation. */
  readonly slotStates: SlotStates;
  /** Number of consecutive steps with a gap. */
  #gapSteps = 0;

  constructor(options: SequencePoolOptions) {
    this.#options = options;
    const { context, store, msPerPrefillToken, now } = options;
    const reuse = determineReuse(context, store);
    this.#records = new SequenceRecords(context.sequences);
    this.#budget = new CellBudget(context.layout, this.#records);
    this.#marks = new DraftMarks(context);
    this.#saved = new SavedStates({ store, reuse, msPerPrefillToken, now });
    const parts = {
      context,
      records: this.#records,
      budget: this.#budget,
      marks: this.#marks,
      saved: this.#saved,
    };
    this.#states = new SequenceStates(parts);
    this.#placer = new PromptPlacer({ ...parts, reuse, states: this.#states });
    this.slotStates = new SlotStates({ ...parts, states: this.#states });
  }

  /** Whether any sequence can be used, now or later. */
  get isUsable(): boolean {
    return this.#records.all.some(({ status }) => status !== "lost");
  }

  /** Whether a sequence is idle. */
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
        : [countHeldCells(busy), countHeldCells(this.#records.all)];
    return { busyCells, cachedCells: heldCells - busyCells, evicted: this.#states.evictions };
  }

  /**
   * Leases the sequence that suits a prompt best; it then holds the prefix that it shares with the prompt.
   * @param reservedTokens number of tokens that the generation may hold before it requests more; relevant in the
   * unified layout, where idle prefixes are evicted to reserve them
   * @returns `full` if no sequence is idle or the cells are reserved for others, `later` if waiting for another prompt
   * saves tokens
   * @throws if llama.cpp cannot prepare the sequence, which is then idle and empty
   */
  async acquire(
    prompt: PromptIdentity,
    reservedTokens = prompt.cells.length,
    options: AcquireOptions = {},
  ): Promise<PlacedPrompt | "full" | "later"> {
    this.#states.clean();
    const { reuse = "prefix", owner, slot, keptFor } = options;
    const { context, msPerPrefillToken } = this.#options;
    const reusable = reuse === "prefix" ? prompt : createEmptyIdentity(prompt.adapters);
    const policy = {
      minCopyTokens: computeMinCopyTokens(context.copyMs, msPerPrefillToken()),
      preferred: slot,
    };
    const placement = this.#placer.place(reusable, reservedTokens, policy);
    if (typeof placement === "string") return placement;
    const { to, sharedTokens } = placement;
    const cachedIn = this.#placer.tierOf(placement);
    const previousRecord = { ...this.#records.get(to) };
    const ownedTokens =
      owner === undefined ? sharedTokens : this.#placer.countOwnedTokens(owner, reusable, policy);
    const lease = this.#records.occupy(to, {
      prompt,
      owner,
      checkpoints: this.#placer.planCheckpoints(prompt, reuse, sharedTokens),
      reservedTokens,
      mobility: slot === to ? "stays" : "may-move",
      keptFor,
    });
    try {
      const keptTokens = placement.kind === "reuse" ? sharedTokens : 0;
      if (keptTokens < lease.contents.cells.length / 2) this.#states.noteEvicted();
      await this.#saved.saveIfWorthwhile(previousRecord, keptTokens);
      if (reuse === "anew") await this.#states.freeCells(to);
      if (placement.kind === "copy") await this.#states.copy(placement.from, to);
      if (placement.kind === "restore") {
        const isClean = await this.#states.restore(placement.from, to);
        if (!isClean) return this.acquire(prompt, reservedTokens, options);
      }
      this.#states.truncate(to, Math.min(sharedTokens, lease.contents.cells.length));
      await this.#states.makeRoom(0);
      const { length } = lease.contents.cells;
      assert(
        length < prompt.cells.length,
        "the last token of a prompt is cached, but its logits are needed",
      );
      assert(
        length === 0 || countCommonCells(lease.contents, prompt) === length,
        `sequence ${to} holds tokens that are not a prefix of its prompt`,
      );
    } catch (error) {
      this.#states.empty(to);
      throw error;
    }
    const cachedTokens = lease.contents.cells.length;
    const isFullyReused = cachedTokens === sharedTokens;
    // The reused state may be another owner's that shares slightly less. Reporting `ownedTokens` hides that too.
    const reportableTokens = isFullyReused ? ownedTokens : Math.min(ownedTokens, cachedTokens);
    return { lease, cachedTokens, reportableTokens, cachedIn };
  }

  /**
   * Closes a lasting gap: moves the busy state with the highest id to the lowest idle sequence between busy ones. Call
   * it once per step. llama.cpp evaluates consecutive sequences together, and each gap costs every step another pass
   * over the weights; idle sequences below the first busy one cost nothing, and stay cached.
   */
  async pack(): Promise<void> {
    if (this.#options.context.layout.kind === "unified") return;
    const firstBusy = this.#records.all.findIndex(({ status }) => status === "busy");
    const gap = this.#records.all.find(({ id, status }) => status === "idle" && id > firstBusy);
    const last = this.#records.all.findLast(({ status }) => status === "busy");
    const isGap = gap !== undefined && last?.mobility === "may-move" && gap.id < last.id;
    this.#gapSteps = isGap ? this.#gapSteps + 1 : 0;
    if (!isGap || this.#gapSteps < MIN_GAP_STEPS) return;
    await this.#saved.saveIfWorthwhile(gap, 0);
    if (gap.contents.cells.length > 0) this.#states.noteEvicted();
    try {
      await this.#states.copy(last.id, gap.id);
    } catch {
      this.#states.empty(gap.id);
      this.#gapSteps = 0;
      return;
    }
    this.#records.move(last.id, gap.id);
    this.#states.empty(last.id);
  }

  /** Number of tokens to the next checkpoint of a sequence. */
  tokensToCheckpoint({ sequenceId }: Lease): number {
    const { checkpoints, contents } = this.#records.get(sequenceId);
    const [next = Number.POSITIVE_INFINITY] = checkpoints;
    return next - contents.cells.length;
  }

  /** Records a segment that has been evaluated on a sequence. */
  append(lease: Lease, segment: PromptSegment): void {
    this.#states.noteBatch();
    this.#records.append(lease, segment);
  }

  /** Records the number of evaluated cells of the next media, which is not fully evaluated yet. */
  notePartialMedia(lease: Lease, cells: number): void {
    this.#states.noteBatch();
    this.#records.notePartialMedia(lease, cells);
  }

  /** Removes evaluated cells that are not recorded: those of partially evaluated media. */
  removePartialMedia({ sequenceId }: Lease): void {
    this.#states.removePartialMedia(sequenceId);
  }

  /** Saves a sequence's state if it has reached a checkpoint. */
  async saveCheckpoint(lease: Lease): Promise<void> {
    if (this.tokensToCheckpoint(lease) > 0) return;
    this.#records.passCheckpoint(lease);
    await this.#saved.save(this.#records.get(lease.sequenceId));
  }

  /** Records that the prompt is evaluated: other prompts no longer wait for it. */
  endPrefill(lease: Lease): void {
    this.#records.endPrefill(lease);
  }

  /** Whether sequences can be prepared for drafts: a state that is copied with the next batch cannot be marked yet. */
  get isReadyForDrafts(): boolean {
    return this.#options.context.retraction === "truncate" || !this.#states.hasPendingCopies;
  }

  /** Prepares a sequence for a batch with a draft, whose rejected tokens {@link keep} removes. */
  async prepareForDraft({ sequenceId, contents }: Lease): Promise<void> {
    const { context } = this.#options;
    if (context.retraction === "truncate") return;
    await this.#marks.set(sequenceId, contents.cells.length);
  }

  /**
   * Keeps the first `length` tokens after a batch with a draft. If the rejected tokens cannot be truncated, all tokens
   * of the batch are removed, so the sequence holds fewer than `length` tokens.
   */
  async keep({ sequenceId, contents }: Lease, length: number): Promise<void> {
    if (!this.#marks.has(sequenceId)) this.#states.truncate(sequenceId, length);
    else if (length < contents.cells.length) {
      this.#records.truncate(sequenceId, await this.#marks.rewind(sequenceId));
    }
    this.#marks.drop(sequenceId);
  }

  /** Whether the reservation of a generation covers `tokens` more tokens. */
  hasReserved({ sequenceId, contents }: Lease, tokens: number): boolean {
    if (this.#options.context.layout.kind === "split") return true;
    return contents.cells.length + tokens <= this.#records.get(sequenceId).reservedTokens;
  }

  /**
   * Increases the reservation of a generation, evicting idle prefixes if necessary.
   * @returns whether there is room
   */
  async grow(lease: Lease, reservedTokens: number): Promise<boolean> {
    const additionalTokens = reservedTokens - this.#records.get(lease.sequenceId).reservedTokens;
    if (!this.#budget.hasRoom(additionalTokens)) return false;
    this.#records.reserve(lease, reservedTokens);
    await this.#states.makeRoom(0);
    return true;
  }

  /**
   * Makes room for tokens beyond the reservations, such as drafts.
   * @returns whether there is room
   */
  async makeRoom(tokens: number): Promise<boolean> {
    if (!this.#budget.hasRoom(tokens)) return false;
    await this.#states.makeRoom(tokens);
    return true;
  }

  /** Whether states can be saved. */
  get canSave(): boolean {
    return this.#saved.canSave;
  }

  /** Number of tokens per sequence if the cells are divided evenly; 0 in the split layout. */
  get shareTokens(): number {
    const { layout, sequences } = this.#options.context;
    return layout.kind === "split" ? 0 : Math.floor(layout.cells / sequences);
  }

  /**
   * Saves the state of a generation and ends its lease; the generation resumes with {@link acquire}. A state that
   * cannot be saved is evaluated again.
   */
  async suspend(lease: Lease): Promise<void> {
    await this.#saved.save(this.#records.get(lease.sequenceId));
    this.release(lease);
  }

  /** Whether an idle sequence holds the beginning of a prompt, at least half of it, and nothing else. */
  holds(prompt: PromptIdentity): boolean {
    const { length } = prompt.cells;
    return this.#records.all.some(({ status, contents }) => {
      const heldTokens = contents.cells.length;
      if (status !== "idle" || 2 * heldTokens < length) return false;
      return countCommonCells(contents, prompt) === heldTokens;
    });
  }

  /** Ends a lease; the tokens stay cached. */
  release(lease: Lease, keptFor?: Continuation): void {
    this.#marks.drop(lease.sequenceId);
    this.#records.release(lease, keptFor);
  }

  /** Notes that the suspended generation with this lease does not continue. */
  forgetSuspended(lease: Lease): void {
    this.#records.forgetSuspended(lease);
  }

  /**
   * Ends a lease, if it has not ended yet, and empties the sequence, because its state cannot be trusted after a
   * failure. A sequence that cannot be emptied is not used again.
   */
  abandon({ sequenceId }: Lease): void {
    this.#states.empty(sequenceId);
  }

  /**
   * Ends a lease whose state has led to non-finite logits. Such values may be in its cells, and in
   * the idle sequences and saved states that share a prefix with it. Those saved states are
   * dropped. The affected sequences are not used, and in the unified layout no sequence is leased,
   * until no sequence is busy and all cells can be overwritten.
   */
  quarantine({ sequenceId, contents }: Lease): void {
    const quarantined = copyIdentity(contents);
    this.#saved.drop(quarantined);
    this.#states.markDirty(sequenceId);
    for (const { id, status, contents } of this.#records.all) {
      if (status !== "idle") continue;
      if (countCommonCells(contents, quarantined) >= MIN_COPY_TOKENS) this.#states.markDirty(id);
    }
  }

  /**
   * Saves the state that the next prompt would overwrite, so that the prompt's admission does not
   * wait for the save. Call this while there is nothing to evaluate.
   * @returns whether a state was saved
   */
  async saveAhead(): Promise<boolean> {
    const spare = findSpareSequence(this.#placer.available);
    const next = this.#budget.isTight ? this.#budget.evictionCandidate : spare;
    return next !== undefined && this.#saved.saveIfWorthwhile(this.#records.get(next.id), 0);
  }

  /**
   * Saves all idle conversations that are worth saving, if the store outlives the process; the pool must not be used
   * afterwards.
   */
  async saveAll(): Promise<void> {
    if (!this.#saved.outliveProcess) return;
    for (const record of this.#records.all) {
      if (record.status === "idle") await this.#saved.saveIfWorthwhile(record, 0);
    }
  }
}

/** Returns how much prompts can reuse of states that diverge from them. */
function determineReuse(
  { partialTruncation }: Pick<TokenContext, "partialTruncation">,
  store: StateStore | undefined,
): Reuse {
  if (partialTruncation === "supported") return "common-prefix";
  return store === undefined ? "none" : "checkpoints";
}

function countHeldCells(records: readonly Pick<SequenceRecord, "contents">[]): number {
  return records.reduce((sum, { contents }) => sum + contents.cells.length, 0);
}
