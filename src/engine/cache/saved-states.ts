import type { CacheTier } from "../../core/engine-statistics.js";
import { exponentialAverage } from "../costs/step-costs.js";
import type { PromptIdentity } from "./prompt-identity.js";
import { isWorthSaving } from "./saving-policy.js";
import {
  MIN_RESTORE_TOKENS,
  type Reuse,
  type StoredState,
  usableTokens,
} from "./sequence-placement.js";
import { ownersOf, type SequenceRecord } from "./sequence-records.js";
import type { Restoration, StateStore } from "./state-store.js";

export interface SavedStatesOptions {
  /** Without one, what is overwritten is lost. */
  readonly store: StateStore | undefined;
  /** What a prompt can use of a saved state. */
  readonly reuse: Reuse;
  /** What evaluating a prompt token costs, which saved states have to save. */
  readonly msPerPrefillToken: () => number | undefined;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/** A sequence, as far as saving its state needs it. */
export type SavableState = Pick<SequenceRecord, "id" | "held" | "owner" | "otherOwners">;

/** The states of a pool that are kept outside its sequences: which are worth it, and what they provide. */
export class SavedStates {
  readonly #options: SavedStatesOptions;
  #msPerSavedToken: number | undefined;

  constructor(options: SavedStatesOptions) {
    this.#options = options;
  }

  /** Whether states can be saved at all. */
  get areKept(): boolean {
    return this.#options.store !== undefined;
  }

  /** Whether a later process finds them again. */
  get outliveProcess(): boolean {
    return this.#options.store?.outlivesProcess === true;
  }

  get all(): readonly StoredState[] {
    return this.#options.store?.states ?? [];
  }

  tierOf(state: StoredState): CacheTier | undefined {
    return this.#options.store?.tierOf(state);
  }

  /** How much of a prompt a saved state can provide, in tokens. */
  tokensOf(prompt: PromptIdentity): number {
    const { reuse } = this.#options;
    return Math.max(0, ...this.all.map((state) => usableTokens(state.prompt, prompt, reuse)));
  }

  /** Saves what a sequence holds. What cannot be saved is evaluated again. */
  async save(state: SavableState): Promise<void> {
    await this.#options.store?.save(state.id, state.held, ownersOf(state));
  }

  /**
   * Saves a state that is about to be overwritten, unless it is saved already or not worth it.
   * @param keptTokens that the sequence goes on to hold
   * @returns whether it was saved
   */
  async saveIfWorthwhile(state: SavableState, keptTokens: number): Promise<boolean> {
    const { held } = state;
    const tokens = held.cells.length;
    const { store, now, msPerPrefillToken } = this.#options;
    if (store === undefined) return false;
    const costs = {
      msPerSavedToken: this.#msPerSavedToken,
      msPerPrefillToken: msPerPrefillToken(),
    };
    if (!isWorthSaving(tokens - keptTokens, costs)) return false;
    if (!isWorthSaving(tokens - this.tokensOf(held), costs)) {
      store.own(held, ownersOf(state));
      return false;
    }
    const begun = now();
    const isSaved = await store.save(state.id, held, ownersOf(state));
    const msPerToken = (now() - begun) / tokens;
    this.#msPerSavedToken = exponentialAverage(this.#msPerSavedToken, msPerToken);
    return isSaved;
  }

  /** Reads a state back into a sequence. */
  async restore(state: StoredState, sequenceId: number): Promise<Restoration> {
    return (await this.#options.store?.restore(state, sequenceId)) ?? "untouched";
  }

  /** Drops the states that this one may have been restored from. */
  drop(held: PromptIdentity): void {
    this.#options.store?.drop(held, MIN_RESTORE_TOKENS);
  }
}
