import assert from "node:assert/strict";
import type { TokenUsage } from "../core/generation-event.js";
import type { PreparedGeneration } from "../core/generation-request.js";
import type { RunningSlot, SlotView } from "../core/slot-view.js";

type Task = Pick<PreparedGeneration, "id" | "promptTokens" | "maxTokens">;

/** What runs in each slot. A generation is shown in the lowest slot that is free when it begins. */
export class SlotViews {
  readonly #slots: (RunningSlot | undefined)[] = [];
  /** Slots by the ids of their generations. */
  readonly #slotOf = new Map<string, number>();
  #begun = 0;

  begin({ id, promptTokens, maxTokens }: Task): void {
    assert(!this.#slotOf.has(id), `generation ${id} has a slot already`);
    const free = this.#slots.indexOf(undefined);
    const slot = free === -1 ? this.#slots.length : free;
    this.#slotOf.set(id, slot);
    this.#slots[slot] = {
      state: "running",
      task: this.#begun++,
      promptTokens: promptTokens.length,
      maxTokens,
      cachedTokens: 0,
      completionTokens: 0,
    };
  }

  /** Without effect for a generation that has no slot. */
  update(id: string, { cachedTokens, completionTokens }: TokenUsage): void {
    const slot = this.#slotOf.get(id);
    const running = slot === undefined ? undefined : this.#slots[slot];
    if (slot === undefined || running === undefined) return;
    this.#slots[slot] = { ...running, cachedTokens, completionTokens };
  }

  /** Without effect for a generation that has no slot. */
  end(id: string): void {
    const slot = this.#slotOf.get(id);
    if (slot === undefined) return;
    this.#slotOf.delete(id);
    this.#slots[slot] = undefined;
  }

  /** @param slots of the engine; fewer than run where it was started anew with fewer */
  list(slots: number): readonly SlotView[] {
    return Array.from(
      { length: Math.max(slots, this.#slots.findLastIndex((slot) => slot !== undefined) + 1) },
      (_, slot) => this.#slots[slot] ?? { state: "idle" },
    );
  }
}
