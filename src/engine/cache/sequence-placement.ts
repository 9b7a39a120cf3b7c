import { computeSharedCheckpoint } from "./checkpoint-plan.js";
import {
  countCommonCells,
  createEmptyIdentity,
  findLastCut,
  type PromptIdentity,
  slicePrefix,
} from "./prompt-identity.js";
import type { SequenceRecord } from "./sequence-records.js";
import type { StateOwners } from "./state-owners.js";

/** A sequence that is idle or busy. */
export interface AvailableSequence
  extends Pick<SequenceRecord, "id" | "contents" | "lastUsed" | "keptFor" | "prefilling"> {
  readonly status: Extract<SequenceRecord["status"], "idle" | "busy">;
}

/** Properties of a sequence that placing a prompt depends on. */
export interface PlaceableSequence extends AvailableSequence {
  /** Smallest number of cells above 0 that it can be truncated to; `Infinity`: only all of them. */
  readonly lowestCut: number;
}

/** A saved state: of a sequence that was needed for another prompt, or a checkpoint. */
export interface StoredState {
  /** Prompt that the state was computed from. */
  readonly prompt: PromptIdentity;
  /** Owners of the state; absent: none, as for states that an earlier process left. */
  readonly owners?: StateOwners;
}

/**
 * Reusable part of a state that diverges from the prompt: the common prefix, if the model supports partial truncation;
 * a checkpoint saved during prefill; or nothing.
 */
export type Reuse = "common-prefix" | "checkpoints" | "none";

/** Sequence that a prompt is placed in, and the number of its tokens held there afterwards. */
export type Placement =
  /** An idle sequence keeps the prefix that it shares with the prompt. */
  | { readonly kind: "reuse"; readonly to: number; readonly sharedTokens: number }
  /** Another sequence, idle or busy, shares a longer prefix: its state is copied. */
  | {
      readonly kind: "copy";
      readonly from: number;
      readonly to: number;
      readonly sharedTokens: number;
    }
  /** A saved state shares the longest prefix: it is restored. */
  | {
      readonly kind: "restore";
      readonly from: StoredState;
      readonly to: number;
      readonly sharedTokens: number;
    }
  /** The prompt waits for a busy sequence that is evaluating the shared prefix. */
  | { readonly kind: "wait"; readonly for: number; readonly sharedTokens: number };

/** Minimum number of tokens that the cheapest copy must save; evaluating fewer tokens is as fast. */
export const MIN_COPY_TOKENS = 16;
/** Minimum number of tokens that restoring a state must save. */
export const MIN_RESTORE_TOKENS = 32;
/** Minimum number of tokens that waiting must save, because waiting costs at least one step. */
const MIN_WAIT_TOKENS = 64;

/** Policy for placing a prompt in the sequences of one context. */
export interface PlacementPolicy {
  /** Reuse of states that diverge from the prompt. */
  readonly reuse: Reuse;
  /** Minimum number of tokens that copying a sequence must save. */
  readonly minCopyTokens: number;
  /** Sequence that the prompt goes to if it is idle; absent: the most suitable one. */
  readonly preferred?: number | undefined;
}

/**
 * Returns the minimum number of tokens that a copy must save to be faster than evaluating them.
 * @param copyMs duration of a copy, which copies the whole stream whatever the prefix length
 * @param msPerPrefillToken `undefined`: not known yet
 */
export function computeMinCopyTokens(
  copyMs: number,
  msPerPrefillToken: number | undefined,
): number {
  if (msPerPrefillToken === undefined || msPerPrefillToken <= 0) return MIN_COPY_TOKENS;
  return Math.max(MIN_COPY_TOKENS, Math.ceil(copyMs / msPerPrefillToken));
}

/**
 * Places a prompt.
 *
 * 1. An idle sequence is reused if it holds at least half of the prompt, or if at least half of the tokens it holds are
 *    shared. A few shared template tokens do not justify evicting a conversation. Cells that a suspended generation
 *    continues are reused only as a whole.
 * 2. Otherwise the prompt goes to the first spare sequence ({@link findSpareSequence}); the lowest id among equals,
 *    which keeps the busy sequences contiguous. The longest prefix that another sequence or a saved state shares with
 *    the prompt is copied or restored there.
 * 3. A prompt that shares a long prefix with a prompt being evaluated waits until that prefix can be copied, or has
 *    been saved.
 *
 * A prompt with a preferred sequence goes there, with the prefix that it would have in any other sequence.
 *
 * @param sequences in ascending id
 * @returns `undefined` when no sequence is idle
 */
export function placePrompt(
  sequences: readonly PlaceableSequence[],
  stored: readonly StoredState[],
  prompt: PromptIdentity,
  { reuse, minCopyTokens, preferred }: PlacementPolicy,
): Placement | undefined {
  const preferredSequence = sequences.find(
    ({ id, status }) => id === preferred && status === "idle",
  );
  const spare = preferredSequence ?? findSpareSequence(sequences);
  if (spare === undefined) return undefined;
  // The last token of the prompt is always evaluated: its logits are needed.
  const cacheable = slicePrefix(prompt, findLastCut(prompt, Math.max(0, prompt.cells.length - 1)));
  const sharedPrefixes = sequences.map((sequence) => ({
    sequence,
    sharedTokens: usableTokens(sequence.contents, cacheable, sequence.lowestCut),
  }));
  const savedPrefix = findLongest(
    stored.map((state) => ({
      state,
      sharedTokens: usableTokens(state.prompt, cacheable, savedCut(reuse)),
    })),
  );
  const reusablePrefix = findLongest(
    sharedPrefixes.filter((one) =>
      preferredSequence === undefined
        ? isWorthReusing(one, prompt)
        : one.sequence === preferredSequence,
    ),
  );
  const heldPrefix = findLongest(sharedPrefixes);
  const pendingPrefix = findLongest(
    sequences.map((sequence) => ({
      sequence,
      sharedTokens: countPendingTokens(sequence, cacheable, reuse),
    })),
  );
  // If states can be truncated, the prefix that the prompt waits for is copied afterwards.
  const minWaitTokens =
    reuse === "common-prefix" ? Math.max(MIN_WAIT_TOKENS, minCopyTokens) : MIN_WAIT_TOKENS;
  const heldTokens = Math.max(reusablePrefix?.sharedTokens ?? 0, heldPrefix?.sharedTokens ?? 0);
  if (savedPrefix !== undefined && savedPrefix.sharedTokens - heldTokens >= MIN_RESTORE_TOKENS) {
    const { state, sharedTokens } = savedPrefix;
    if (
      pendingPrefix === undefined ||
      pendingPrefix.sharedTokens - sharedTokens < MIN_WAIT_TOKENS
    ) {
      return {
        kind: "restore",
        from: state,
        to: (reusablePrefix?.sequence ?? spare).id,
        sharedTokens,
      };
    }
  }
  if (pendingPrefix !== undefined && pendingPrefix.sharedTokens - heldTokens >= minWaitTokens) {
    return {
      kind: "wait",
      for: pendingPrefix.sequence.id,
      sharedTokens: pendingPrefix.sharedTokens,
    };
  }
  if (
    heldPrefix !== undefined &&
    heldPrefix.sharedTokens - (reusablePrefix?.sharedTokens ?? 0) >= minCopyTokens
  ) {
    const { sequence, sharedTokens } = heldPrefix;
    if (sequence !== spare) return { kind: "copy", from: sequence.id, to: spare.id, sharedTokens };
  }
  const to = reusablePrefix?.sequence ?? spare;
  const sharedTokens = sharedPrefixes.find(({ sequence }) => sequence === to)?.sharedTokens ?? 0;
  return { kind: "reuse", to: to.id, sharedTokens };
}

/** Properties of a sequence that overwriting it depends on. */
type SpareSequence = Pick<SequenceRecord, "contents" | "lastUsed" | "keptFor" | "status">;

/**
 * Returns the idle sequence to overwrite first: an empty one, an ended line of a batch, a conversation, or a suspended
 * generation. Of each, the least recently used comes first; of suspended generations, the shortest, because it is
 * evaluated again.
 * @param sequences in ascending id; the first of equals is returned
 * @returns `undefined` when none is idle
 */
export function findSpareSequence<Sequence extends SpareSequence>(
  sequences: readonly Sequence[],
): Sequence | undefined {
  const idle = sequences.filter(({ status }) => status === "idle");
  return idle.toSorted((a, b) => {
    const [rankA, orderA] = worthOf(a);
    const [rankB, orderB] = worthOf(b);
    return rankA - rankB || orderA - orderB;
  })[0];
}

const continuationRanks = { nothing: 1, conversation: 2, generation: 3 } as const;

/** Ranks a sequence, and orders it within its rank; the lowest worth is overwritten first. */
function worthOf({ contents, keptFor, lastUsed }: SpareSequence): [rank: number, order: number] {
  const { length } = contents.cells;
  if (length === 0) return [0, 0];
  return [continuationRanks[keptFor], keptFor === "generation" ? length : lastUsed];
}

interface SharedPrefix {
  readonly sequence: PlaceableSequence;
  readonly sharedTokens: number;
}

/**
 * Returns how many tokens of a prompt a state can provide.
 * @param lowestCut smallest number of cells that the state can be truncated to
 */
export function usableTokens(
  state: PromptIdentity,
  prompt: PromptIdentity,
  lowestCut: number,
): number {
  const shared = countCommonCells(state, prompt);
  return shared >= lowestCut || shared === state.cells.length ? shared : 0;
}

/** Returns the smallest number of cells that a saved state can be truncated to. */
export function savedCut(reuse: Reuse): number {
  return reuse === "common-prefix" ? 0 : Number.POSITIVE_INFINITY;
}

/** Returns how many tokens of a prompt a busy sequence can provide once its own prompt is evaluated. */
function countPendingTokens(
  { contents, prefilling = createEmptyIdentity() }: PlaceableSequence,
  prompt: PromptIdentity,
  reuse: Reuse,
): number {
  const shared = countCommonCells(prefilling, prompt);
  if (reuse === "common-prefix") return shared;
  const checkpoint = findLastCut(prefilling, computeSharedCheckpoint(shared));
  return reuse === "checkpoints" && checkpoint > contents.cells.length ? checkpoint : 0;
}

function isWorthReusing({ sequence, sharedTokens }: SharedPrefix, prompt: PromptIdentity): boolean {
  const { keptFor, contents } = sequence;
  if (keptFor === "generation" && sharedTokens < contents.cells.length) return false;
  const halfTokens = Math.min(contents.cells.length, prompt.cells.length) / 2;
  return sequence.status === "idle" && sharedTokens > 0 && sharedTokens >= halfTokens;
}

/** Returns the first candidate with the longest shared prefix. */
function findLongest<Candidate extends { readonly sharedTokens: number }>(
  candidates: readonly Candidate[],
): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (best, candidate) => (best && candidate.sharedTokens <= best.sharedTokens ? best : candidate),
    undefined,
  );
}
