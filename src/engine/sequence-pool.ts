import { placePrompt, type StoredState } from "./sequence-placement.js";
import type { StateStore } from "./state-store.js";
import type { TokenContext } from "./token-context.js";

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
  readonly #sequences: SequenceState[];
  #leases = 0;
  /** Steps in a row with a gap. */
  #gapSteps = 0;

  /** @param store where states go whose sequence is needed; without one they are lost */
  constructor(context: TokenContext, store?: StateStore) {
    this.#context = context;
    this.#store = store;
    this.#sequences = Array.from({ length: context.sequences }, (_, id) => ({
      id,
      heldTokens: [],
      lastUsed: 0,
      lease: "idle",
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
    const stored = this.#store?.states ?? [];
    const placement = placePrompt(placeable, stored, promptTokens, this.#context.cuts);
    if (placement === undefined) return "full";
    if (placement.kind === "wait") return "later";
    const target = this.#state(placement.to);
    target.lease = "leased";
    target.lastUsed = ++this.#leases;
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
    await this.#context.copy(last.id, gap.id);
    const { heldTokens, lastUsed, lease, owner, prefilling } = last;
    Object.assign(gap, { heldTokens, lastUsed, lease, owner });
    if (prefilling !== undefined) gap.prefilling = prefilling;
    if (owner !== undefined) owner.state = gap;
    this.#empty(last);
  }

  /** Records tokens that have been evaluated on a sequence. */
  hold({ sequenceId }: Lease, tokens: readonly number[]): void {
    this.#state(sequenceId).heldTokens.push(...tokens);
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

  /** Saves what a sequence is about to lose, unless it is little or somewhere else as well. */
  async #save(sequenceId: number, tokens: readonly number[], kept: number): Promise<void> {
    if (tokens.length - kept < SAVE_FROM_TOKENS || this.#store?.holds(tokens)) return;
    await this.#store?.save(sequenceId, tokens);
  }

  async #copy(from: SequenceState, to: SequenceState): Promise<void> {
    const tokens = [...from.heldTokens];
    await this.#context.copy(from.id, to.id);
    to.heldTokens = tokens;
  }

  /** Leaves the sequence empty when the state cannot be read: the prompt is evaluated then. */
  async #restore(from: StoredState, to: SequenceState): Promise<void> {
    const isRead = (await this.#store?.restore(from, to.id)) ?? false;
    if (!isRead) this.#context.cut(to.id, 0);
    to.heldTokens = isRead ? [...from.tokens] : [];
  }

  #cut(state: SequenceState, length: number): void {
    if (length === state.heldTokens.length) return;
    this.#context.cut(state.id, length);
    state.heldTokens.length = length;
  }
}
