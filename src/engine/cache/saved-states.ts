import type { CacheTier } from "../../core/engine-statistics.js";
import { updateAverage } from "../costs/step-costs.js";
import type { PromptIdentity } from "./prompt-identity.js";
import { isWorthSaving } from "./saving-policy.js";
import {
  MIN_RESTORE_TOKENS,
  type Reuse,
  type StoredState,
  savedCut,
  usableTokens,
} from "./sequence-placement.js";
import { collectOwners, type SequenceRecord } from "./sequence-records.js";
import type { Restoration, StateStore } from "./state-store.js";

export interface SavedStatesOptions {
  /** Saves states before they are overwritten; absent: overwritten states are discarded. */
  readonly store: StateStore | undefined;
  /** Reusable part of a saved state that diverges from a prompt. */
  readonly reuse: Reuse;
  /** Time to evaluate a prompt token, in milliseconds; restoring states must be faster. */
  readonly msPerPrefillToken: () => number | undefined;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/** Properties of a sequence that saving its state depends on. */
export type SavableState = Pick<
  SequenceRecord,
  "id" | "contents" | "owner" | "otherOwners" | "keptFor"
>;

/** States of a pool saved outside its sequences: decides which states to save, and how many tokens they provide. */
export class SavedStates {
  readonly #options: SavedStatesOptions;
  #msPerSavedToken: number | undefined;

  constructor(options: SavedStatesOptions) {
    this.#options = options;
  }

  /** Whether states can be saved at all. */
  get canSave(): boolean {
    return this.#options.store !== undefined;
  }

  /** Whether saved states outlive the process. */
  get outliveProcess(): boolean {
    return this.#options.store?.outlivesProcess === true;
  }

  get all(): readonly StoredState[] {
    return this.#options.store?.states ?? [];
  }

  tierOf(state: StoredState): CacheTier | undefined {
    return this.#options.store?.tierOf(state);
  }

  /** Returns how many tokens of a prompt the saved states can provide. */
  tokensOf(prompt: PromptIdentity): number {
    const lowestCut = savedCut(this.#options.reuse);
    return Math.max(0, ...this.all.map((state) => usableTokens(state.prompt, prompt, lowestCut)));
  }

  /** Saves the state of a sequence. A state that cannot be saved is evaluated again. */
  async save(state: SavableState): Promise<void> {
    await this.#options.store?.save(state.id, state.contents, collectOwners(state));
  }

  /**
   * Saves a state that is about to be overwritten, unless it is already saved, not worth saving, or an ended line of
   * a batch: these would replace the saved conversations.
   * @param keptTokens number of tokens that the sequence continues to hold
   * @returns whether it was saved
   */
  async saveIfWorthwhile(state: SavableState, keptTokens: number): Promise<boolean> {
    const { contents } = state;
    const tokens = contents.cells.length;
    const { store, now, msPerPrefillToken } = this.#options;
    if (store === undefined || state.keptFor === "nothing") return false;
    const costs = {
      msPerSavedToken: this.#msPerSavedToken,
      msPerPrefillToken: msPerPrefillToken(),
    };
    if (!isWorthSaving(tokens - keptTokens, costs)) return false;
    if (!isWorthSaving(tokens - this.tokensOf(contents), costs)) {
      store.addOwners(contents, collectOwners(state));
      return false;
    }
    const beganMs = now();
    const isSaved = await store.save(state.id, contents, collectOwners(state));
    const msPerToken = (now() - beganMs) / tokens;
    this.#msPerSavedToken = updateAverage(this.#msPerSavedToken, msPerToken);
    return isSaved;
  }

  /** Restores a state into a sequence. */
  async restore(state: StoredState, sequenceId: number): Promise<Restoration> {
    return (await this.#options.store?.restore(state, sequenceId)) ?? "untouched";
  }

  /** Drops the states that `held` may have been restored from. */
  drop(contents: PromptIdentity): void {
    this.#options.store?.drop(contents, MIN_RESTORE_TOKENS);
  }
}
