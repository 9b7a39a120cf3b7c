/** Time after which browsers without idle callbacks (Safari) run the next task. */
const FALLBACK_MS = 20;

const whenIdle: (run: () => void) => unknown =
  typeof globalThis.requestIdleCallback === "function"
    ? (run) => requestIdleCallback(() => run())
    : (run) => setTimeout(run, FALLBACK_MS);

/** Runs tasks one by one while the browser is idle, the latest first. */
export class IdleQueue {
  readonly #tasks = new Set<() => void>();
  readonly #whenIdle: (run: () => void) => unknown;
  #isScheduled = false;

  /** @param schedule calls a function when the browser is idle */
  constructor(schedule = whenIdle) {
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
    this.#whenIdle(() => {
      this.#isScheduled = false;
      const task = [...this.#tasks].at(-1);
      if (task === undefined) return;
      this.#tasks.delete(task);
      task();
      this.#schedule();
    });
  }
}
