import assert from "node:assert/strict";
import type { TokenUsage } from "../core/generation-event.js";
import type { PreparedRequest } from "../core/generation-request.js";
import type { RunningTask, SlotView } from "../core/model-directory.js";
import type { EngineSlot } from "../core/slot-command.js";

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** Tracks the progress of the generations in the engine. */
export class SlotViews {
  /** Progress of the generations by id, updated in place with every token. */
  readonly #tasks = new Map<string, Writable<RunningTask>>();
  #taskCount = 0;

  begin(id: string, { promptTokens, maxTokens }: PreparedRequest): void {
    assert(!this.#tasks.has(id), `generation ${id} is already running`);
    this.#tasks.set(id, {
      task: this.#taskCount++,
      promptTokens,
      maxTokens,
      cachedTokens: 0,
      completionTokens: 0,
    });
  }

  /** Ignores a generation that is not in the engine. */
  update(id: string, { cachedTokens, completionTokens }: TokenUsage): void {
    const task = this.#tasks.get(id);
    if (task === undefined) return;
    task.cachedTokens = cachedTokens;
    task.completionTokens = completionTokens;
  }

  /** Ignores a generation that is not in the engine. */
  end(id: string): void {
    this.#tasks.delete(id);
  }

  /**
   * Returns the state of each of the engine's slots. A slot whose generation has just ended is
   * idle.
   */
  toViews(slots: readonly EngineSlot[]): readonly SlotView[] {
    return slots.map(({ heldTokens, generation = "" }) => {
      const task = this.#tasks.get(generation);
      return task === undefined
        ? { state: "idle", heldTokens }
        : { state: "running", heldTokens, ...task };
    });
  }
}
