import type { PooledModel } from "./pooled-model.js";

export interface IdleTimersOptions {
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
  /** A model has been idle for as long as it may be. */
  readonly onElapsed: (model: PooledModel) => void;
}

interface IdleTime {
  readonly timer: NodeJS.Timeout;
  /** On the clock of the options. */
  readonly untilMs: number;
}

/** The longest time of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** How long loaded models have been idle, and may be. */
export class IdleTimers {
  readonly #options: IdleTimersOptions;
  readonly #running = new Map<PooledModel, IdleTime>();
  /** Limits that requests have set, in milliseconds; `undefined`: none. */
  readonly #limits = new Map<PooledModel, number | undefined>();

  constructor(options: IdleTimersOptions) {
    this.#options = options;
  }

  /** When the time of a model elapses, on the clock; `undefined`: it is in use, has no limit or is not loaded. */
  elapsesAtMs(model: PooledModel): number | undefined {
    return this.#running.get(model)?.untilMs;
  }

  /** Overrides the limit of a model until {@link forget}, in milliseconds; `undefined`: no limit. */
  setLimit(model: PooledModel, idleLimitMs: number | undefined): void {
    this.#limits.set(model, idleLimitMs);
  }

  /** Starts the time of a model from 0 if it is loaded, idle and limited. */
  restart(model: PooledModel): void {
    this.stop(model);
    const limitMs = this.#limits.has(model) ? this.#limits.get(model) : model.loadable.idleLimitMs;
    if (limitMs === undefined || model.loaded === undefined || model.isBusy) return;
    this.#elapseAt(model, this.#options.now() + limitMs);
  }

  stop(model: PooledModel): void {
    clearTimeout(this.#running.get(model)?.timer);
    this.#running.delete(model);
  }

  /** Stops the time of a model, and drops the limit that a request has set. */
  forget(model: PooledModel): void {
    this.stop(model);
    this.#limits.delete(model);
  }

  stopAll(): void {
    for (const { timer } of this.#running.values()) clearTimeout(timer);
  }

  /** Timers may fire a little early, and run for 25 days at most: the rest is waited for with another one. */
  #elapseAt(model: PooledModel, untilMs: number): void {
    const { now, onElapsed } = this.#options;
    const timer = setTimeout(
      () => {
        if (model.isBusy) return;
        if (now() < untilMs) this.#elapseAt(model, untilMs);
        else onElapsed(model);
      },
      Math.min(Math.ceil(untilMs - now()), MAX_TIMER_MS),
    );
    timer.unref();
    this.#running.set(model, { timer, untilMs });
  }
}
