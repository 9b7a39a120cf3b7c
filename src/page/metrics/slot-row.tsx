import type { NativeSlots } from "../../api/llama-server/slots.js";
import { formatCount } from "../../live-metrics/units.js";

interface SlotRowProps {
  /** Number of slots; `undefined`: unknown. */
  readonly total: number | undefined;
  /** Number of busy slots. */
  readonly running: number | undefined;
  /** State of each slot, where known. */
  readonly slots: NativeSlots | undefined;
}

/** State of a model's slots. */
export function SlotRow({ total = 0, running = 0, slots = [] }: SlotRowProps) {
  const texts = slots.length > 0 ? slots.map(describeSlot) : buildAnonymousTexts(total, running);
  if (texts.length === 0) return null;
  return (
    <ul class="slots" aria-label="Slots">
      {texts.map(({ isBusy, text }, index) => (
        <li key={index} class={isBusy ? "busy" : "idle"}>
          {text}
        </li>
      ))}
    </ul>
  );
}

interface SlotText {
  readonly isBusy: boolean;
  readonly text: string;
}

function describeSlot(slot: NativeSlots[number]): SlotText {
  if (!slot.is_processing) {
    const cachedTokens = slot.n_held ?? 0;
    return {
      isBusy: false,
      text: cachedTokens === 0 ? "idle" : `idle, ${formatCount(cachedTokens)} tokens cached`,
    };
  }
  const generatedTokens = slot.next_token?.[0]?.n_decoded;
  return {
    isBusy: true,
    text: `${formatCount(slot.n_prompt_tokens)} prompt tokens, ${formatCount(generatedTokens)} generated`,
  };
}

function buildAnonymousTexts(total: number, running: number): readonly SlotText[] {
  return Array.from({ length: total }, (_, index) => ({
    isBusy: index < running,
    text: index < running ? "busy" : "idle",
  }));
}
