type Deadline = Pick<IdleDeadline, "timeRemaining">;
type Schedule = (run: (deadline: Deadline) => void) => unknown;

/** Time after which browsers without idle callbacks (Safari) run the next task. */
const FALLBACK_MS = 20;
/** Time for which tasks run without a pause, so that input is handled between them. */
const SLICE_MS = 12;
/** Idle time that another task requires. */
const LEAST_IDLE_MS = 4;

const whenIdle: Schedule =
  typeof globalThis.requestIdleCallback === "function"
    ? (run) => requestIdleCallback(run)
    : (run) => setTimeout(() => run({ timeRemaining: () => 0 }), FALLBACK_MS);

/** Runs tasks in short slices while the browser is idle, the latest first. */
export class IdleQueue {
  readonly #tasks = new Set<() => void>();
  readonly #whenIdle: Schedule;
  #isScheduled = false;

  /** @param schedule calls a function when the browser is idle */
  constructor(schedule: Schedule = whenIdle) {
    this.#whenIdle = schedule;
  }

  /** A task that is queued already is moved to the front. */
  add(task: () => void): void {
    this.#tasks.delete(task);
    this.#tasks.add(task);
    this.#schedule();
  }

  /** @returns whether the task was queued */
  delete(task: () => void): boolean {
    return this.#tasks.delete(task);
  }

  /** Runs all tasks at once. */
  flush(): void {
    for (const task of this.#tasks) {
      this.#tasks.delete(task);
      task();
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#tasks.size === 0) return;
    this.#isScheduled = true;
    this.#whenIdle((deadline) => void this.#runSlice(deadline));
  }

  async #runSlice(deadline: Deadline): Promise<void> {
    const startedAtMs = performance.now();
    try {
      do {
        const task = [...this.#tasks].at(-1);
        if (task === undefined) return;
        this.#tasks.delete(task);
        task();
        // Preact renders in a microtask, whose time counts too.
        await undefined;
      } while (
        performance.now() - startedAtMs < SLICE_MS &&
        deadline.timeRemaining() > LEAST_IDLE_MS
      );
    } finally {
      this.#isScheduled = false;
      this.#schedule();
    }
  }
}
