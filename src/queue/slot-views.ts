import assert from "node:assert/strict";
import type { TokenUsage } from "../core/generation-event.js";
import type { PreparedRequest } from "../core/generation-request.js";
import type { RunningTask, SlotView } from "../core/model-directory.js";
import type { EngineSlot } from "../core/slot-command.js";

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** Counts and times of a generation; its durations are computed when they are read. */
interface TrackedTask extends Writable<Omit<RunningTask, "elapsedMs" | "prefillMs">> {
  readonly startedAtMs: number;
  firstTokenAtMs: number | undefined;
}

/** Tracks the progress of the generations in the engine. */
export class SlotViews {
  /** Progress of the generations by id, updated in place with every token. */
  readonly #tasks = new Map<string, TrackedTask>();
  readonly #now: () => number;
  #taskCount = 0;

  /** @param now reads a monotonic clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  begin(id: string, { promptTokens, maxTokens }: PreparedRequest): void {
    assert(!this.#tasks.has(id), `generation ${id} is already running`);
    this.#tasks.set(id, {
      task: this.#taskCount++,
      promptTokens,
      maxTokens,
      cachedTokens: 0,
      completionTokens: 0,
      startedAtMs: this.#now(),
      firstTokenAtMs: undefined,
    });
  }

  /** Ignores a generation that is not in the engine. */
  update(id: string, { cachedTokens, completionTokens }: TokenUsage): void {
    const task = this.#tasks.get(id);
    if (task === undefined) return;
    task.cachedTokens = cachedTokens;
    task.completionTokens = completionTokens;
    if (completionTokens > 0) task.firstTokenAtMs ??= this.#now();
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
    return slots.map(({ generation = "", ...slot }) => {
      const task = this.#tasks.get(generation);
      return task === undefined
        ? { state: "idle", ...slot }
        : { state: "running", ...slot, ...this.#withDurations(task) };
    });
  }

  #withDurations({ startedAtMs, firstTokenAtMs, ...task }: TrackedTask): RunningTask {
    return {
      ...task,
      elapsedMs: this.#now() - startedAtMs,
      ...(firstTokenAtMs !== undefined && { prefillMs: firstTokenAtMs - startedAtMs }),
    };
  }
}
