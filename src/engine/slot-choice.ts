import { commonPrefixLength } from "./common-prefix.js";

/** A free slot, as far as the choice needs it. */
export interface FreeSlot {
  readonly id: number;
  /** Tokens whose KV state the slot still holds. */
  readonly heldTokens: readonly number[];
  /** Grows with every use; 0: never used. */
  readonly lastUsed: number;
}

/**
 * The free slot for a prompt. A slot that holds a good part of the prompt, or whose own cache is
 * mostly what the prompt shares, is reused; a few shared template tokens do not justify losing
 * another conversation. Else an empty slot, else the least recently used; ties go to the lowest
 * id, which keeps the running sequences contiguous.
 */
export function chooseSlot<Slot extends FreeSlot>(
  free: readonly Slot[],
  promptTokens: readonly number[],
): Slot | undefined {
  let best: { slot: Slot; shared: number } | undefined;
  let spare: Slot | undefined;
  for (const slot of free.toSorted((a, b) => a.id - b.id)) {
    const shared = commonPrefixLength(slot.heldTokens, promptTokens);
    const worthReusing = shared * 2 >= Math.min(slot.heldTokens.length, promptTokens.length);
    if (shared > 0 && worthReusing && shared > (best?.shared ?? 0)) best = { slot, shared };
    if (spare === undefined || isBetterSpare(slot, spare)) spare = slot;
  }
  return best?.slot ?? spare;
}

function isBetterSpare(candidate: FreeSlot, current: FreeSlot): boolean {
  if (current.heldTokens.length === 0) return false;
  return candidate.heldTokens.length === 0 || candidate.lastUsed < current.lastUsed;
}
