import type { TokenContext } from "../llama/token-context.js";
import { planCheckpoints } from "./checkpoint-plan.js";
import { commonPrefixLength } from "./common-prefix.js";
import { placePrompt, type Reuse, type StoredState, usableTokens } from "./sequence-placement.js";
import type { StateStore } from "./state-store.js";

/** A sequence that a generation holds: one owner at a time. */
export interface Lease {
  /** Changes when the pool moves the state to another sequence. */
  readonly sequenceId: number;
  /** Tokens whose KV state the sequence holds. */
  readonly heldTokens: readonly number[];
}

/** What a lease begins with. */
export interface Leased {
  readonly lease: Lease;
  /** Prompt tokens that need not be evaluated. */
  readonly cachedTokens: number;
}

/** What one sequence holds and for whom. */
interface SequenceState {
  readonly id: number;
  heldTokens: number[];
  lastUsed: number;
  lease: "idle" | "leased" | "lost";
  owner?: OwnedLease;
  prefilling?: readonly number[];
  /** Lengths, ascending, at which evaluating the prompt pauses to save the state. */
  checkpoints: readonly number[];
}

class OwnedLease implements Lease {
  state: SequenceState;

  constructor(state: SequenceState) {
    this.state = state;
  }

  get sequenceId(): number {
    return this.state.id;
  }

  get heldTokens(): readonly number[] {
    return this.state.heldTokens;
  }
}

/** Tokens that make a state worth saving when its sequence is needed for something else. */
const SAVE_FROM_TOKENS = 64;
/** Steps that a gap among the leased sequences must last before a state is moved into it. */
const GAP_LASTS_STEPS = 4;

/**
 * Knows which tokens each sequence of a context holds, gives sequences to prompts and takes them
 * back with their tokens still cached. Its record and llama.cpp's state change together.
 */
export class SequencePool {
  readonly #context: TokenContext;
  readonly #store: StateStore | undefined;
  readonly #reuse: Reuse;
  readonly #sequences: SequenceState[];
  /** Ids of both sides of copies since the last batch: llama.cpp carries them out in the next. */
  readonly #copying = new Set<number>();
  #leases = 0;
  /** Steps in a row with a gap. */
  #gapSteps = 0;

  /** @param store where states go whose sequence is needed; without one they are lost */
  constructor(context: TokenContext, store?: StateStore) {
    this.#context = context;
    this.#store = store;
    if (context.cuts === "anywhere") this.#reuse = "what is shared";
    else this.#reuse = store === undefined ? "nothing" : "checkpoints";
    this.#sequences = Array.from({ length: context.sequences }, (_, id) => ({
      id,
      heldTokens: [],
      lastUsed: 0,
      lease: "idle",
      checkpoints: [],
    }));
  }

  /** Whether any sequence can still be used, now or later. */
  get isUsable(): boolean {
    return this.#sequences.some(({ lease }) => lease !== "lost");
  }

  /**
   * Gives a prompt the sequence that suits it best, holding what it shares with the prompt.
   * @returns `full` when no sequence is idle, `later` when it pays to wait for another prompt
   * @throws when llama.cpp cannot prepare it; the sequence is idle and empty then
   */
  async lease(promptTokens: readonly number[]): Promise<Leased | "full" | "later"> {
    const placeable = this.#sequences.flatMap((sequence) =>
      sequence.lease === "lost" ? [] : [{ ...sequence, lease: sequence.lease }],
    );
    const placement = placePrompt(placeable, this.#stored, promptTokens, this.#reuse);
    if (placement === undefined) return "full";
    if (placement.kind === "wait") {
      this.#addCheckpoint(this.#state(placement.for), placement.shared);
      return "later";
    }
    if (placement.kind === "restore" && this.#mustWaitForCopy(placement.to)) return "later";
    const target = this.#state(placement.to);
    target.lease = "leased";
    target.lastUsed = ++this.#leases;
    target.checkpoints = this.#planCheckpoints(promptTokens, placement.shared);
    target.prefilling = promptTokens;
    try {
      const kept = placement.kind === "reuse" ? placement.shared : 0;
      await this.#save(target.id, target.heldTokens, kept);
      if (placement.kind === "copy") await this.#copy(this.#state(placement.from), target);
      if (placement.kind === "restore") await this.#restore(placement.from, target);
      this.#cut(target, Math.min(placement.shared, target.heldTokens.length));
    } catch (error) {
      this.#empty(target);
      throw error;
    }
    target.owner = new OwnedLease(target);
    return { lease: target.owner, cachedTokens: target.heldTokens.length };
  }

  /**
   * Closes a gap that lasts: moves the leased state of the highest id to the lowest idle one. To be
   * called once a step: llama.cpp evaluates consecutive sequences together, and each gap costs
   * every step another pass over the weights.
   */
  async pack(): Promise<void> {
    const gap = this.#sequences.find(({ lease }) => lease === "idle");
    const last = this.#sequences.findLast(({ lease }) => lease === "leased");
    const isGap = gap !== undefined && last !== undefined && gap.id < last.id;
    this.#gapSteps = isGap ? this.#gapSteps + 1 : 0;
    if (!isGap || this.#gapSteps < GAP_LASTS_STEPS) return;
    await this.#save(gap.id, gap.heldTokens, 0);
    try {
      await this.#copy(last, gap);
    } catch {
      this.#empty(gap);
      this.#gapSteps = 0;
      return;
    }
    const { lastUsed, lease, owner, prefilling, checkpoints } = last;
    Object.assign(gap, { lastUsed, lease, owner, checkpoints });
    if (prefilling !== undefined) gap.prefilling = prefilling;
    if (owner !== undefined) owner.state = gap;
    this.#empty(last);
  }

  /** Tokens to the next length at which a sequence's state is saved. */
  tokensToCheckpoint({ sequenceId }: Lease): number {
    const { checkpoints, heldTokens } = this.#state(sequenceId);
    const [next = Number.POSITIVE_INFINITY] = checkpoints;
    return next - heldTokens.length;
  }

  /** Records tokens that have been evaluated on a sequence. */
  hold({ sequenceId }: Lease, tokens: readonly number[]): void {
    this.#copying.clear();
    this.#state(sequenceId).heldTokens.push(...tokens);
  }

  /** Saves a sequence's state if it has reached a length where that was planned. */
  async saveCheckpoint(lease: Lease): Promise<void> {
    if (this.tokensToCheckpoint(lease) > 0) return;
    const state = this.#state(lease.sequenceId);
    state.checkpoints = state.checkpoints.slice(1);
    await this.#store?.save(state.id, state.heldTokens);
  }

  /** The prompt is evaluated; nobody need wait for it any more. */
  endPrefill({ sequenceId }: Lease): void {
    delete this.#state(sequenceId).prefilling;
  }

  /** Forgets all tokens from a length on. */
  cut({ sequenceId }: Lease, length: number): void {
    this.#cut(this.#state(sequenceId), length);
  }

  /** Takes a sequence back, its tokens still cached. */
  release({ sequenceId }: Lease): void {
    const state = this.#state(sequenceId);
    delete state.prefilling;
    delete state.owner;
    state.checkpoints = [];
    if (state.lease === "leased") state.lease = "idle";
  }

  /**
   * Takes a sequence back empty: after a failure its state cannot be trusted. One that cannot even
   * be emptied is not used again.
   */
  abandon({ sequenceId }: Lease): void {
    this.#empty(this.#state(sequenceId));
  }

  /** Saves all conversations that are worth it; the pool is not used afterwards. */
  async saveAll(): Promise<void> {
    for (const { id, heldTokens, lease } of this.#sequences) {
      if (lease === "idle") await this.#save(id, heldTokens, 0);
    }
  }

  #empty(state: SequenceState): void {
    state.heldTokens = [];
    this.release({ sequenceId: state.id, heldTokens: [] });
    try {
      this.#context.cut(state.id, 0);
    } catch {
      state.lease = "lost";
    }
  }

  #state(id: number): SequenceState {
    const state = this.#sequences[id];
    if (state === undefined) throw new RangeError(`there is no sequence ${id}`);
    return state;
  }

  #planCheckpoints(promptTokens: readonly number[], held: number): number[] {
    if (this.#reuse !== "checkpoints") return [];
    const seen = [
      ...this.#sequences.flatMap(({ heldTokens, prefilling = [] }) => [heldTokens, prefilling]),
      ...this.#stored.map(({ tokens }) => tokens),
    ];
    return planCheckpoints({
      promptLength: promptTokens.length,
      held,
      saved: this.#saved(promptTokens),
      shared: Math.max(...seen.map((tokens) => commonPrefixLength(tokens, promptTokens))),
    });
  }

  /** Another prompt waits for a part of this one. */
  #addCheckpoint(state: SequenceState, length: number): void {
    if (this.#reuse !== "checkpoints") return;
    state.checkpoints = [...new Set([...state.checkpoints, length])].toSorted((a, b) => a - b);
  }

  /** Saves what a sequence is about to lose, unless it is little or somewhere else as well. */
  async #save(sequenceId: number, tokens: readonly number[], kept: number): Promise<void> {
    if (this.#store === undefined || tokens.length - kept < SAVE_FROM_TOKENS) return;
    if (tokens.length - this.#saved(tokens) < SAVE_FROM_TOKENS) return;
    await this.#store.save(sequenceId, tokens);
  }

  get #stored(): readonly StoredState[] {
    return this.#store?.states ?? [];
  }

  /** How many of these tokens a saved state can give. */
  #saved(wanted: readonly number[]): number {
    return Math.max(
      0,
      ...this.#stored.map(({ tokens }) => usableTokens(tokens, wanted, this.#reuse)),
    );
  }

  /** Whether a batch will come that carries out a copy, before which nothing may be read in. */
  #mustWaitForCopy(sequenceId: number): boolean {
    const isBatchComing = this.#sequences.some(({ lease }) => lease === "leased");
    return this.#copying.has(sequenceId) && isBatchComing;
  }

  async #copy(from: SequenceState, to: SequenceState): Promise<void> {
    const tokens = [...from.heldTokens];
    await this.#context.copy(from.id, to.id);
    this.#copying.add(from.id).add(to.id);
    to.heldTokens = tokens;
  }

  /** Leaves the sequence empty when the state cannot be read: the prompt is evaluated then. */
  async #restore(from: StoredState, to: SequenceState): Promise<void> {
    const isRead = !this.#copying.has(to.id) && (await this.#store?.restore(from, to.id)) === true;
    if (!isRead) this.#context.cut(to.id, 0);
    to.heldTokens = isRead ? [...from.tokens] : [];
  }

  #cut(state: SequenceState, length: number): void {
    if (length === state.heldTokens.length) return;
    this.#context.cut(state.id, length);
    state.heldTokens.length = length;
  }
}
