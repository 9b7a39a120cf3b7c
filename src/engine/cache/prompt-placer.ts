import type { CacheTier } from "../../core/engine-statistics.js";
import type { CacheLayout } from "../native/token-context.js";
import type { CellBudget } from "./cell-budget.js";
import type { HeldPart } from "./cell-ledger.js";
import { planCheckpoints } from "./checkpoint-plan.js";
import { commonCells, lastCut, nothing, type PromptIdentity } from "./prompt-identity.js";
import type { SavedStates } from "./saved-states.js";
import {
  type PlaceableSequence,
  type Placement,
  type PlacementPolicy,
  placePrompt,
  type Reuse,
} from "./sequence-placement.js";
import { ownersOf, type SequenceRecord, type SequenceRecords } from "./sequence-records.js";
import type { SequenceStates } from "./sequence-states.js";
import { noOwners, prefixOwnedBy, type StateOwners } from "./state-owners.js";

/**
 * What a prompt takes of what is held. `prefix`: its beginning. `nothing`: all of it is evaluated. `anew`: the
 * same, in slices and in cells that depend on the prompt alone, as long as no other generation runs.
 */
export type PromptReuse = "prefix" | "nothing" | "anew";

/** How a prompt is placed, beside what its model's states allow. */
export type PlacementWishes = Omit<PlacementPolicy, "reuse">;

/** Where a prompt goes at once. */
export type ImmediatePlacement = Exclude<Placement, { readonly kind: "wait" }>;

export interface PromptPlacerOptions {
  readonly context: { readonly layout: CacheLayout };
  readonly records: SequenceRecords;
  readonly budget: CellBudget;
  readonly saved: SavedStates;
  readonly states: SequenceStates;
  /** Of states that diverge from a prompt. */
  readonly reuse: Reuse;
}

/** Where prompts go in a pool, as it is now: what `sequence-placement.ts` decides from. It leases nothing. */
export class PromptPlacer {
  readonly #layout: CacheLayout;
  readonly #records: SequenceRecords;
  readonly #budget: CellBudget;
  readonly #saved: SavedStates;
  readonly #states: SequenceStates;
  readonly #reuse: Reuse;

  constructor({ context, records, budget, saved, states, reuse }: PromptPlacerOptions) {
    this.#layout = context.layout;
    this.#records = records;
    this.#budget = budget;
    this.#saved = saved;
    this.#states = states;
    this.#reuse = reuse;
  }

  /** The sequences that have prompts, or can. */
  get placeable(): (SequenceRecord & PlaceableSequence)[] {
    return this.#records.all.flatMap((record) => {
      const { status } = record;
      return status === "idle" || status === "busy" ? [{ ...record, status }] : [];
    });
  }

  /**
   * Where a prompt goes now, if it can go anywhere. One that it waits for gets a checkpoint where they diverge,
   * if states cannot be truncated.
   */
  place(
    prompt: PromptIdentity,
    reservedTokens: number,
    wishes: PlacementWishes,
  ): ImmediatePlacement | "full" | "later" {
    if (this.#states.isUnclean && this.#layout.kind === "unified") return "full";
    const policy = { ...wishes, reuse: this.#reuse };
    const placement = placePrompt(this.placeable, this.#saved.all, prompt, policy);
    if (placement === undefined) return "full";
    if (placement.kind === "wait") {
      if (this.#reuse === "checkpoints") {
        this.#records.addCheckpoint(placement.for, placement.sharedTokens);
      }
      return "later";
    }
    if (placement.kind === "restore" && this.#states.mustWaitForCopy(placement.to)) return "later";
    // Its state has half an image, which not every state can be copied without.
    if (placement.kind === "copy" && this.#records.get(placement.from).begunCells > 0) {
      return "later";
    }
    const kept = keptBy(placement);
    const newTokens = reservedTokens - (kept?.length ?? 0);
    return this.#budget.hasRoom(newTokens, kept && [kept]) ? placement : "full";
  }

  /** How much of a prompt would be cached if everybody but its owner had left nothing. */
  tokensOwnedBy(owner: string, prompt: PromptIdentity, wishes: PlacementWishes): number {
    const owned = (held: PromptIdentity, owners: StateOwners = noOwners) =>
      prefixOwnedBy(owner, held, owners, this.#reuse === "common-prefix");
    const sequences = this.placeable.map((sequence) => ({
      ...sequence,
      held: owned(sequence.held, ownersOf(sequence)),
      prefilling: sequence.owner === owner ? (sequence.prefilling ?? nothing()) : nothing(),
    }));
    const saved = this.#saved.all.map(({ prompt, owners }) => ({ prompt: owned(prompt, owners) }));
    const policy = { ...wishes, reuse: this.#reuse };
    return placePrompt(sequences, saved, prompt, policy)?.sharedTokens ?? 0;
  }

  /** Where the cached part of a prompt is. */
  tierOf(placement: ImmediatePlacement): CacheTier {
    if (placement.kind !== "restore") return "kv";
    return this.#saved.tierOf(placement.from) ?? "kv";
  }

  /** Lengths at which evaluating a prompt pauses, of which so many tokens are held. */
  planCheckpoints(prompt: PromptIdentity, reuse: PromptReuse, heldTokens: number): number[] {
    if (this.#reuse !== "checkpoints") return [];
    const promptTokens = prompt.cells.length;
    const cut = (length: number) => lastCut(prompt, length);
    if (reuse === "anew") {
      return planCheckpoints({ promptTokens, heldTokens: 0, savedTokens: 0, sharedTokens: 0 }, cut);
    }
    const seen = [
      ...this.#records.all.flatMap(({ held, prefilling = nothing() }) => [held, prefilling]),
      ...this.#saved.all.map((state) => state.prompt),
    ];
    const question = {
      promptTokens,
      heldTokens,
      savedTokens: this.#saved.tokensOf(prompt),
      sharedTokens: Math.max(...seen.map((other) => commonCells(other, prompt))),
    };
    return planCheckpoints(question, cut);
  }
}

/** What stays held when a prompt is placed, of sequences that may be idle. */
function keptBy(placement: ImmediatePlacement): HeldPart | undefined {
  const { kind, sharedTokens: length } = placement;
  if (kind === "restore") return undefined;
  return { sequenceId: kind === "reuse" ? placement.to : placement.from, length };
}
