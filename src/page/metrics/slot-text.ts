import type { NativeSlots } from "../../api/llama-server/slots.js";
import type { ReplicaMetrics } from "../../live-metrics/live-metrics.js";
import { formatCount } from "../../live-metrics/units.js";

/** State of a slot, in words. */
export interface SlotText {
  readonly isBusy: boolean;
  readonly text: string;
  /** Replica that has the slot; `undefined`: the model has one engine. */
  readonly replica: string | undefined;
}

/**
 * Describes a model's slots.
 * @param total number of slots; `undefined`: unknown
 * @param running number of busy slots, by which slots of unknown state are described
 * @param slots state of each slot, where known
 * @param replicas engines of the model, to which slots of unknown state belong in order
 */
export function describeSlots(
  total = 0,
  running = 0,
  slots: NativeSlots = [],
  replicas: readonly Pick<ReplicaMetrics, "replica" | "state" | "slots">[] = [],
): readonly SlotText[] {
  if (slots.length > 0) {
    return slots.map((slot) => ({ ...describeSlot(slot), replica: slot.replica?.toString() }));
  }
  const owners = replicas
    .filter(({ state }) => state === "ready")
    .flatMap(({ replica, slots: length = 0 }) => Array.from({ length }, () => replica));
  return Array.from({ length: total }, (_, index) => ({
    isBusy: index < running,
    text: index < running ? "busy" : "idle",
    replica: owners[index],
  }));
}

function describeSlot(slot: NativeSlots[number]): Omit<SlotText, "replica"> {
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
