import { sharedCheckpoint } from "./checkpoint-plan.js";
import { commonPrefixLength } from "./common-prefix.js";

/** A sequence, as far as placing a prompt needs it. */
export interface PlaceableSequence {
  readonly id: number;
  /** Tokens whose KV state the sequence holds. */
  readonly heldTokens: readonly number[];
  /** Grows with every use; 0: never used. */
  readonly lastUsed: number;
  /** The whole prompt that is being evaluated; absent when idle or decoding. */
  readonly prefilling?: readonly number[];
  readonly lease: "idle" | "leased";
}

/** A state that was saved when its sequence was needed for something else, or as a checkpoint. */
export interface StoredState {
  readonly tokens: readonly number[];
}

/**
 * What a prompt can use of a state that goes on differently: what they share, because the state can
 * be cut; nothing, but a checkpoint may have been saved on its way; nothing at all.
 */
export type Reuse = "what is shared" | "checkpoints" | "nothing";

/** Where a prompt goes, and how many of its tokens are held there afterwards. */
export type Placement =
  /** An idle sequence keeps what it shares with the prompt. */
  | { readonly kind: "reuse"; readonly to: number; readonly shared: number }
  /** Another sequence, idle or not, shares more: its state is copied. */
  | { readonly kind: "copy"; readonly from: number; readonly to: number; readonly shared: number }
  /** A saved state shares most: it is restored. */
  | {
      readonly kind: "restore";
      readonly from: StoredState;
      readonly to: number;
      readonly shared: number;
    }
  /** The prompt waits for a sequence that is just evaluating what they share. */
  | { readonly kind: "wait"; readonly for: number; readonly shared: number };

/** Tokens that must be saved for a copy: below, evaluating them again is as quick. */
const COPY_FROM_TOKENS = 16;
/** Tokens that must be saved for reading a state back. */
const RESTORE_FROM_TOKENS = 32;
/** Tokens that must be saved for a wait, which costs at least one step. */
const WAIT_FROM_TOKENS = 64;

/**
 * Places a prompt. An idle sequence that holds a good part of it, or whose own tokens are mostly
 * what is shared, is reused; a few shared template tokens do not justify losing another
 * conversation. Else the prompt goes to an empty sequence, else to the least recently used, with
 * the lowest id among equals, which keeps the running sequences contiguous; what some other
 * sequence shares with it is copied there, or a saved state is restored. A prompt that shares much
 * with one that is being evaluated waits until that can be copied, or has been saved.
 *
 * @param sequences in ascending id
 * @param reuse of states that are not wholly a beginning of the prompt
 * @returns `undefined` when no sequence is idle
 */
export function placePrompt(
  sequences: readonly PlaceableSequence[],
  stored: readonly StoredState[],
  promptTokens: readonly number[],
  reuse: Reuse,
): Placement | undefined {
  const idle = sequences.filter(({ lease }) => lease === "idle");
  const [first, ...others] = idle;
  if (first === undefined) return undefined;
  const spare = others.reduce(betterSpare, first);
  // The last token of the prompt is always evaluated: its logits are needed.
  const wanted = promptTokens.slice(0, -1);
  const sharing = sequences.map((sequence) => ({
    sequence,
    shared: usableTokens(sequence.heldTokens, wanted, reuse),
  }));
  const saved = longest(
    stored.map((state) => ({ state, shared: usableTokens(state.tokens, wanted, reuse) })),
  );
  const kept = longest(sharing.filter((one) => isWorthReusing(one, promptTokens)));
  const held = longest(sharing);
  const coming = longest(
    sequences.map((sequence) => ({ sequence, shared: comingTokens(sequence, wanted, reuse) })),
  );
  const best = Math.max(kept?.shared ?? 0, held?.shared ?? 0);
  if (saved !== undefined && saved.shared - best >= RESTORE_FROM_TOKENS) {
    const { state, shared } = saved;
    if (coming === undefined || coming.shared - shared < WAIT_FROM_TOKENS) {
      return { kind: "restore", from: state, to: (kept?.sequence ?? spare).id, shared };
    }
  }
  if (coming !== undefined && coming.shared - best >= WAIT_FROM_TOKENS) {
    return { kind: "wait", for: coming.sequence.id, shared: coming.shared };
  }
  if (held !== undefined && held.shared - (kept?.shared ?? 0) >= COPY_FROM_TOKENS) {
    const { sequence, shared } = held;
    if (sequence !== spare) return { kind: "copy", from: sequence.id, to: spare.id, shared };
  }
  const to = kept?.sequence ?? spare;
  const shared = sharing.find(({ sequence }) => sequence === to)?.shared ?? 0;
  return { kind: "reuse", to: to.id, shared };
}

interface Sharing {
  readonly sequence: PlaceableSequence;
  readonly shared: number;
}

/** How many of the wanted tokens a state can give. */
export function usableTokens(
  tokens: readonly number[],
  wanted: readonly number[],
  reuse: Reuse,
): number {
  const shared = commonPrefixLength(tokens, wanted);
  return reuse === "what is shared" || shared === tokens.length ? shared : 0;
}

/** How many of the wanted tokens there will be when a sequence has evaluated its prompt. */
function comingTokens(
  { heldTokens, prefilling = [] }: PlaceableSequence,
  wanted: readonly number[],
  reuse: Reuse,
): number {
  const shared = commonPrefixLength(prefilling, wanted);
  if (reuse === "what is shared") return shared;
  const checkpoint = sharedCheckpoint(shared);
  return reuse === "checkpoints" && checkpoint > heldTokens.length ? checkpoint : 0;
}

function isWorthReusing({ sequence, shared }: Sharing, promptTokens: readonly number[]): boolean {
  const half = Math.min(sequence.heldTokens.length, promptTokens.length) / 2;
  return sequence.lease === "idle" && shared > 0 && shared >= half;
}

/** The first of those that share most. */
function longest<Candidate extends { readonly shared: number }>(
  candidates: readonly Candidate[],
): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (best, candidate) => (best && candidate.shared <= best.shared ? best : candidate),
    undefined,
  );
}

function betterSpare(current: PlaceableSequence, candidate: PlaceableSequence): PlaceableSequence {
  if (current.heldTokens.length === 0) return current;
  const better = candidate.heldTokens.length === 0 || candidate.lastUsed < current.lastUsed;
  return better ? candidate : current;
}
