import type { PooledModel } from "./pooled-model.js";

export interface IdleTimersOptions {
  /** Clock: milliseconds, monotonic. */
  readonly now: () => number;
  /** Called when a model has reached its idle limit. */
  readonly onElapsed: (model: PooledModel) => void;
}

interface IdleTime {
  readonly timer: NodeJS.Timeout;
  /** Time of expiry on the clock of the options. */
  readonly untilMs: number;
}

/** Maximum delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Idle timers of the loaded models. */
export class IdleTimers {
  readonly #options: IdleTimersOptions;
  readonly #idleTimes = new Map<PooledModel, IdleTime>();
  /** Idle limits set by requests, in milliseconds; `undefined`: no limit. */
  readonly #limits = new Map<PooledModel, number | undefined>();

  constructor(options: IdleTimersOptions) {
    this.#options = options;
  }

  /**
   * Returns when the timer of a model expires, on the clock; `undefined` if the model is in use,
   * has no limit or is not loaded.
   */
  expiryTimeOf(model: PooledModel): number | undefined {
    return this.#idleTimes.get(model)?.untilMs;
  }

  /**
   * Overrides the idle limit of a model until {@link forget}, in milliseconds; `undefined`: no
   * limit.
   */
  setLimit(model: PooledModel, idleLimitMs: number | undefined): void {
    this.#limits.set(model, idleLimitMs);
  }

  /** Restarts the idle timer of a model if it is loaded, idle and limited. */
  restart(model: PooledModel): void {
    this.stop(model);
    const limitMs = this.#limits.has(model) ? this.#limits.get(model) : model.loadable.idleLimitMs;
    if (limitMs === undefined || model.loaded === undefined || model.isBusy) return;
    this.#elapseAt(model, this.#options.now() + limitMs);
  }

  stop(model: PooledModel): void {
    clearTimeout(this.#idleTimes.get(model)?.timer);
    this.#idleTimes.delete(model);
  }

  /** Stops the timer of a model, and drops the limit set by a request. */
  forget(model: PooledModel): void {
    this.stop(model);
    this.#limits.delete(model);
  }

  stopAll(): void {
    for (const { timer } of this.#idleTimes.values()) clearTimeout(timer);
  }

  /**
   * Timers may fire a little early, and run for 25 days at most; the remaining time is covered by
   * another timer.
   */
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
    this.#idleTimes.set(model, { timer, untilMs });
  }
}
