import type { CacheTier } from "../../core/engine-statistics.js";
import type { TokenContext } from "../native/token-context.js";
import type { CellBudget } from "./cell-budget.js";
import type { HeldPart } from "./cell-ledger.js";
import { planCheckpoints } from "./checkpoint-plan.js";
import {
  computePosition,
  countCommonCells,
  createEmptyIdentity,
  findLastCut,
  type PromptIdentity,
} from "./prompt-identity.js";
import type { SavedStates } from "./saved-states.js";
import {
  type AvailableSequence,
  type PlaceableSequence,
  type Placement,
  type PlacementPolicy,
  placePrompt,
  type Reuse,
} from "./sequence-placement.js";
import { collectOwners, type SequenceRecord, type SequenceRecords } from "./sequence-records.js";
import type { SequenceStates } from "./sequence-states.js";
import { noOwners, type StateOwners, sliceOwnedPrefix } from "./state-owners.js";

/**
 * Reuse of held states by a prompt. `prefix`: the common prefix is reused. `nothing`: the whole prompt is evaluated.
 * `anew`: the whole prompt is evaluated, in slices and cells that depend on the prompt alone as long as no other
 * generation runs.
 */
export type PromptReuse = "prefix" | "nothing" | "anew";

/** Placement policy of one prompt, without the model's support for reuse. */
export type PromptPolicy = Omit<PlacementPolicy, "reuse">;

/** A placement that does not wait for another prompt. */
export type ImmediatePlacement = Exclude<Placement, { readonly kind: "wait" }>;

export interface PromptPlacerOptions {
  readonly context: Pick<TokenContext, "layout" | "lowestCut">;
  readonly records: SequenceRecords;
  readonly budget: CellBudget;
  readonly saved: SavedStates;
  readonly states: SequenceStates;
  /** Reuse of states that diverge from a prompt. */
  readonly reuse: Reuse;
}

/**
 * Places prompts in a pool, given its current sequences and saved states; see `sequence-placement.ts`. Leases nothing.
 */
export class PromptPlacer {
  readonly #context: PromptPlacerOptions["context"];
  readonly #records: SequenceRecords;
  readonly #budget: CellBudget;
  readonly #saved: SavedStates;
  readonly #states: SequenceStates;
  readonly #reuse: Reuse;

  constructor({ context, records, budget, saved, states, reuse }: PromptPlacerOptions) {
    this.#context = context;
    this.#records = records;
    this.#budget = budget;
    this.#saved = saved;
    this.#states = states;
    this.#reuse = reuse;
  }

  /** Sequences that are idle or busy. */
  get available(): (SequenceRecord & AvailableSequence)[] {
    return this.#records.all.flatMap((record) => {
      const { status } = record;
      return status === "idle" || status === "busy" ? [{ ...record, status }] : [];
    });
  }

  get #placeable(): (SequenceRecord & PlaceableSequence)[] {
    return this.available.map((record) => ({ ...record, lowestCut: this.#lowestCut(record) }));
  }

  /** Returns the smallest number of cells that a sequence can be truncated to. */
  #lowestCut({ id, contents }: SequenceRecord): number {
    const { length } = contents.cells;
    if (length === 0) return 0;
    // Media have at least as many cells as positions, so their difference is largest at the end.
    return this.#context.lowestCut(id) + length - computePosition(contents, length);
  }

  /**
   * Places a prompt, if there is room. If it has to wait for another prompt and states cannot be truncated, adds a
   * checkpoint to the other prompt where the two diverge.
   */
  place(
    prompt: PromptIdentity,
    reservedTokens: number,
    promptPolicy: PromptPolicy,
  ): ImmediatePlacement | "full" | "later" {
    if (this.#states.hasDirtyCells && this.#context.layout.kind === "unified") return "full";
    const policy = { ...promptPolicy, reuse: this.#reuse };
    const placement = placePrompt(this.#placeable, this.#saved.all, prompt, policy);
    if (placement === undefined) return "full";
    if (placement.kind === "wait") {
      if (this.#reuse === "checkpoints") {
        this.#records.addCheckpoint(placement.for, placement.sharedTokens);
      }
      return "later";
    }
    if (placement.kind === "restore" && this.#states.mustWaitForCopy(placement.to)) return "later";
    // The source holds a partially evaluated image, and not every state can be copied without it.
    if (placement.kind === "copy" && this.#records.get(placement.from).partialMediaCells > 0) {
      return "later";
    }
    const keptPart = findKeptCells(placement);
    const newTokens = reservedTokens - (keptPart?.length ?? 0);
    return this.#budget.hasRoom(newTokens, keptPart && [keptPart]) ? placement : "full";
  }

  /** Returns how many tokens of a prompt would be cached if only the owner's prompts had been evaluated. */
  countOwnedTokens(owner: string, prompt: PromptIdentity, promptPolicy: PromptPolicy): number {
    const ownedPrefixOf = (held: PromptIdentity, owners: StateOwners = noOwners) =>
      sliceOwnedPrefix(owner, held, owners, this.#reuse === "common-prefix");
    const sequences = this.#placeable.map((sequence) => ({
      ...sequence,
      contents: ownedPrefixOf(sequence.contents, collectOwners(sequence)),
      prefilling:
        sequence.owner === owner
          ? (sequence.prefilling ?? createEmptyIdentity())
          : createEmptyIdentity(),
    }));
    const saved = this.#saved.all.map(({ prompt, owners }) => ({
      prompt: ownedPrefixOf(prompt, owners),
    }));
    const policy = { ...promptPolicy, reuse: this.#reuse };
    return placePrompt(sequences, saved, prompt, policy)?.sharedTokens ?? 0;
  }

  /** Returns the tier of the cached part of a prompt. */
  tierOf(placement: ImmediatePlacement): CacheTier {
    if (placement.kind !== "restore") return "kv";
    return this.#saved.tierOf(placement.from) ?? "kv";
  }

  /** Returns the lengths at which prefill of a prompt pauses, if `heldTokens` of its tokens are held. */
  planCheckpoints(prompt: PromptIdentity, reuse: PromptReuse, heldTokens: number): number[] {
    if (this.#reuse !== "checkpoints") return [];
    const promptTokens = prompt.cells.length;
    const cutAt = (length: number) => findLastCut(prompt, length);
    if (reuse === "anew") {
      return planCheckpoints(
        { promptTokens, heldTokens: 0, savedTokens: 0, sharedTokens: 0 },
        cutAt,
      );
    }
    const knownPrompts = [
      ...this.#records.all.flatMap(({ contents, prefilling = createEmptyIdentity() }) => [
        contents,
        prefilling,
      ]),
      ...this.#saved.all.map((state) => state.prompt),
    ];
    const planInput = {
      promptTokens,
      heldTokens,
      savedTokens: this.#saved.tokensOf(prompt),
      sharedTokens: Math.max(...knownPrompts.map((other) => countCommonCells(other, prompt))),
    };
    return planCheckpoints(planInput, cutAt);
  }
}

/** Returns the cells of idle sequences that stay held when a prompt is placed. */
function findKeptCells(placement: ImmediatePlacement): HeldPart | undefined {
  const { kind, sharedTokens: length } = placement;
  if (kind === "restore") return undefined;
  return { sequenceId: kind === "reuse" ? placement.to : placement.from, length };
}
