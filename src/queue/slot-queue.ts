import assert from "node:assert/strict";
import PQueue from "p-queue";
import { GgufdError, shuttingDown } from "../core/errors.js";
import { admit, type QueueLoad, retryAfterSeconds } from "./admission.js";
import { EngineGate } from "./engine-gate.js";
import { type FairQueue, fairQueueBy, type TurnOptions } from "./fair-queue.js";

/** What requests wait in for one model, whatever they ask of it: admission, turns, losses and the end. */
export class SlotQueue {
  readonly turns: PQueue<FairQueue, TurnOptions>;
  readonly gate = new EngineGate();
  readonly places = new Places();
  readonly serviceTime: ServiceTime;
  readonly #options: SchedulerOptions;
  /** Of the requests that have not ended. Each has its own: a signal of them all would remember each for ever. */
  readonly #endings = new Set<AbortController>();
  #isEnding = false;

  /** @param slots requests that may be in the engine at once */
  constructor(slots: number, options: SchedulerOptions) {
    const { now = () => performance.now() } = options;
    this.#options = options;
    this.serviceTime = new ServiceTime(now);
    this.turns = new PQueue({ concurrency: slots, queueClass: fairQueueBy(now) });
  }

  /** @throws {GgufdError} `shutting_down` after {@link endAll} */
  rejectWhileEnding(): void {
    if (this.#isEnding) throw shuttingDown();
  }

  /**
   * @param ahead prompt lengths of those that come first and have no slot
   * @throws {GgufdError} see {@link admit}
   */
  admit(promptTokens: readonly number[], ahead: readonly number[]): void {
    const slots = this.turns.concurrency;
    admit({
      promptTokens,
      ahead,
      freeSlots: Math.max(0, slots - this.places.running),
      slots,
      limits: this.#options.limits,
      serviceMs: this.serviceTime.meanMs,
    });
  }

  /** Of a request that begins: {@link endAll} aborts it, until it is forgotten. */
  openEnding(): AbortController {
    const ending = new AbortController();
    this.#endings.add(ending);
    return ending;
  }

  forgetEnding(ending: AbortController): void {
    this.#endings.delete(ending);
  }

  waitingLimit(): WaitingLimit {
    return new WaitingLimit(this.#options.queueTimeoutMs, () =>
      retryAfterSeconds({
        waiting: this.places.waiting,
        slots: this.turns.concurrency,
        serviceMs: this.serviceTime.meanMs,
      }),
    );
  }

  /** The engine is lost: what has a slot waits for the next one. */
  suspend(): void {
    this.gate.shut();
  }

  /** There is an engine again, maybe with another number of slots. */
  resume(slots: number): void {
    assert(slots >= 1, `an engine has ${slots} slots`);
    this.turns.concurrency = slots;
    this.gate.open();
  }

  /** Aborts all requests; they fail with `shutting_down`, and so do those that come later. */
  endAll(): void {
    this.#isEnding = true;
    for (const ending of this.#endings) ending.abort(shuttingDown());
  }
}

/** What a queue of requests for one model needs to know. */
export interface SchedulerOptions {
  /** The model's name, for observers. */
  readonly model: string;
  /** Of what waits. */
  readonly limits: QueueLoad;
  /** Time that a request may wait for its turn; 0: any. */
  readonly queueTimeoutMs: number;
  /** A request is refused because the engine was lost so many times in a row while it was in it. Plain data. */
  readonly onRefused: (request: object, losses: number) => void;
  /** Milliseconds on a monotonic clock. */
  readonly now?: () => number;
}

/** A generation that a scheduler has taken in, from its arrival to its last event. */
export interface Place {
  /** Length of its prompt: estimated, then counted. */
  promptTokens: number;
  isRunning: boolean;
}

/** The generations of a scheduler, in order of arrival. */
export class Places {
  readonly #places = new Set<Place>();
  readonly #onEmpty: (() => void)[] = [];

  /** @param promptTokens of each generation */
  take(promptTokens: readonly number[]): readonly Place[] {
    const taken = promptTokens.map((tokens) => ({ promptTokens: tokens, isRunning: false }));
    for (const place of taken) this.#places.add(place);
    return taken;
  }

  free(places: Iterable<Place>): void {
    for (const place of places) this.#places.delete(place);
    if (this.#places.size > 0) return;
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }

  /** Resolves when there is no generation. */
  async empty(): Promise<void> {
    if (this.#places.size === 0) return;
    await new Promise<void>((resolve) => this.#onEmpty.push(resolve));
  }

  get size(): number {
    return this.#places.size;
  }

  get running(): number {
    let running = 0;
    for (const place of this.#places) if (place.isRunning) running++;
    return running;
  }

  /** Those without a slot, in order. */
  get waiting(): number {
    return this.#places.size - this.running;
  }

  /**
   * Prompt lengths of those without a slot, in order.
   * @param end the first one that is left out; absent: none is
   */
  waitingBefore(end?: Place): readonly number[] {
    const waiting: number[] = [];
    for (const place of this.#places) {
      if (place === end) break;
      if (!place.isRunning) waiting.push(place.promptTokens);
    }
    return waiting;
  }
}

/** Ends what waits for too long. A time of 0 is no limit. */
export class WaitingLimit {
  readonly #timeoutMs: number;
  readonly #retryAfterSeconds: () => number;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  /** @param retryAfterSeconds asked for when the time is up */
  constructor(timeoutMs: number, retryAfterSeconds: () => number) {
    this.#timeoutMs = timeoutMs;
    this.#retryAfterSeconds = retryAfterSeconds;
  }

  /** Aborted with a `queue_timeout`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** It waits from now on. */
  begin(): void {
    if (this.#timeoutMs === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const message = `The request waited for ${this.#timeoutMs / 1000} s (--queue-timeout) and did not get a slot.`;
      const options = { retryAfterSeconds: this.#retryAfterSeconds() };
      this.#controller.abort(new GgufdError("queue_timeout", message, options));
    }, this.#timeoutMs);
  }

  /** It does not wait any more, for now. */
  end(): void {
    clearTimeout(this.#timer);
  }
}

/** Of a new measurement in the mean: some ten generations are remembered. */
const WEIGHT_OF_LATEST = 0.1;

/** The time that a generation has its slot: a moving average of those that have ended. */
export class ServiceTime {
  readonly #now: () => number;
  #meanMs: number | undefined;

  /** @param now milliseconds on a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** `undefined`: none has ended yet. */
  get meanMs(): number | undefined {
    return this.#meanMs;
  }

  /** Measures one generation. */
  measure(): ServiceMeasurement {
    let startedAtMs: number | undefined;
    let isInterrupted = false;
    return {
      begin: () => {
        if (startedAtMs !== undefined) return "again";
        startedAtMs = this.#now();
        return "first";
      },
      interrupt: () => {
        isInterrupted = true;
      },
      end: () => {
        if (startedAtMs !== undefined && !isInterrupted) this.#learn(this.#now() - startedAtMs);
      },
    };
  }

  #learn(durationMs: number): void {
    this.#meanMs =
      this.#meanMs === undefined
        ? durationMs
        : this.#meanMs + WEIGHT_OF_LATEST * (durationMs - this.#meanMs);
  }
}

export interface ServiceMeasurement {
  /** It is in the engine: whether for the first time. */
  begin(): "first" | "again";
  /** The engine was lost. An outage says nothing about how long generations take: it does not count. */
  interrupt(): void;
  /** Without a beginning, nothing is measured. */
  end(): void;
}
