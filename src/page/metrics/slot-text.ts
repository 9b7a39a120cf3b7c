import type { NativeSlots } from "../../api/llama-server/slots.js";
import { formatCount } from "../../live-metrics/units.js";

/** State of a slot, in words. */
export interface SlotText {
  readonly isBusy: boolean;
  readonly text: string;
}

/**
 * Describes a model's slots.
 * @param total number of slots; `undefined`: unknown
 * @param running number of busy slots, by which slots of unknown state are described
 * @param slots state of each slot, where known
 */
export function describeSlots(
  total = 0,
  running = 0,
  slots: NativeSlots = [],
): readonly SlotText[] {
  if (slots.length > 0) return slots.map(describeSlot);
  return Array.from({ length: total }, (_, index) => ({
    isBusy: index < running,
    text: index < running ? "busy" : "idle",
  }));
}

function describeSlot(slot: NativeSlots[number]): SlotText {
  const heldTokens = slot.n_held ?? 0;
  if (!slot.is_processing) {
    const isEmpty = heldTokens === 0;
    return { isBusy: false, text: isEmpty ? "idle" : `${formatCount(heldTokens)} tokens cached` };
  }
  const generatedTokens = slot.next_token?.[0]?.n_decoded ?? 0;
  const promptTokens = slot.n_prompt_tokens ?? 0;
  return {
    isBusy: true,
    text:
      generatedTokens === 0
        ? `prompt: ${formatCount(Math.min(heldTokens, promptTokens))} of ${formatCount(promptTokens)} tokens`
        : `${formatCount(promptTokens)} prompt tokens, ${formatCount(generatedTokens)} generated`,
  };
}
