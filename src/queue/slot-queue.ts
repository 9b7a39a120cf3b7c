import assert from "node:assert/strict";
import PQueue from "p-queue";
import type { Caller } from "../core/caller.js";
import { createShutdownError, GgufdError } from "../core/errors.js";
import { updateAverage } from "../core/moving-average.js";
import { admit, computeRetryAfterSeconds, type QueueLoad } from "./admission.js";
import { EngineGate } from "./engine-gate.js";
import { createFairQueueClass, type FairQueue, type RunOptions } from "./fair-queue.js";

/**
 * Queue of one model's requests of any kind: admission control, scheduling order, engine crashes
 * and shutdown.
 */
export class SlotQueue {
  readonly runQueue: PQueue<FairQueue, RunOptions>;
  readonly gate = new EngineGate();
  readonly entries = new QueueEntries();
  readonly serviceTime: ServiceTime;
  readonly #options: SchedulerOptions;
  /**
   * One controller per unfinished request: a signal shared by all requests would keep a reference
   * to each of them forever.
   */
  readonly #controllers = new Set<AbortController>();
  #isShuttingDown = false;

  /** @param slots maximum number of requests in the engine at once */
  constructor(slots: number, options: SchedulerOptions) {
    const { now = () => performance.now() } = options;
    this.#options = options;
    this.serviceTime = new ServiceTime(now);
    this.runQueue = new PQueue({ concurrency: slots, queueClass: createFairQueueClass(now) });
  }

  /** @throws {GgufdError} `shutting_down` after {@link endAll} */
  rejectAfterShutdown(): void {
    if (this.#isShuttingDown) throw createShutdownError();
  }

  /**
   * Admits a request, or rejects it if the queue is full.
   * @param promptTokens prompt lengths of the request's generations, in tokens
   * @param ahead prompt lengths of the generations that are queued ahead and have no slot yet
   * @throws {GgufdError} see {@link admit}
   */
  admit(promptTokens: readonly number[], ahead: readonly number[]): void {
    const slots = this.runQueue.concurrency;
    admit({
      promptTokens,
      ahead,
      freeSlots: Math.max(0, slots - this.entries.running),
      slots,
      limits: this.#options.limits,
      serviceMs: this.serviceTime.meanMs,
    });
  }

  /**
   * Creates the abort controller of a new request, which {@link endAll} aborts until
   * {@link forgetController} is called.
   */
  openController(): AbortController {
    const controller = new AbortController();
    this.#controllers.add(controller);
    return controller;
  }

  forgetController(controller: AbortController): void {
    this.#controllers.delete(controller);
  }

  /** Creates the waiting limit of a request; batches have none. */
  createWaitingLimit({ class: requestClass }: Pick<Caller, "class">): WaitingLimit {
    const timeoutMs = requestClass === "batch" ? 0 : this.#options.queueTimeoutMs;
    return new WaitingLimit(timeoutMs, () =>
      computeRetryAfterSeconds({
        waiting: this.entries.waiting,
        slots: this.runQueue.concurrency,
        serviceMs: this.serviceTime.meanMs,
      }),
    );
  }

  /** The engine has exited: requests with a slot wait for the next engine. */
  suspend(): void {
    this.gate.shut();
  }

  /** A new engine is running, possibly with a different number of slots. */
  resume(slots: number): void {
    this.resize(slots);
    this.gate.open();
  }

  /** Sets the maximum number of requests in the engine at once. */
  resize(slots: number): void {
    assert(slots >= 1, `expected at least one slot, got ${slots}`);
    this.runQueue.concurrency = slots;
  }

  /** Aborts all requests with `shutting_down`; later requests fail with it too. */
  endAll(): void {
    this.#isShuttingDown = true;
    for (const controller of this.#controllers) controller.abort(createShutdownError());
  }
}

/** Scheduling options of a run, and a signal that is aborted when its answer is not wanted. */
export type AbortableRunOptions = Omit<RunOptions, "signal" | "id"> &
  Required<Pick<RunOptions, "id">> & { readonly signal: AbortSignal };

/**
 * Adds a run to a queue. Its signal removes it only while it waits: aborting a running task would
 * start the next one although the engine holds the slot until its next step.
 * @throws an `AbortError` if the signal is aborted before the start; errors of the run
 */
export async function addRun<Result>(
  queue: PQueue<FairQueue, RunOptions>,
  start: () => Promise<Result>,
  { signal, ...options }: AbortableRunOptions,
): Promise<Result> {
  const waiting = new AbortController();
  const leaveQueue = () => waiting.abort();
  signal.addEventListener("abort", leaveQueue, { once: true });
  if (signal.aborted) leaveQueue();
  const begin = () => {
    signal.removeEventListener("abort", leaveQueue);
    return start();
  };
  try {
    return await queue.add(begin, { ...options, signal: waiting.signal });
  } finally {
    signal.removeEventListener("abort", leaveQueue);
  }
}

/** Settings of the request queue of one model. */
export interface SchedulerOptions {
  /** Model name, for observers. */
  readonly model: string;
  /** Limits of the waiting requests. */
  readonly limits: QueueLoad;
  /** Maximum time that a request may wait for a slot, in milliseconds; 0: no limit. */
  readonly queueTimeoutMs: number;
  /**
   * Called when a request is refused because the engine crashed `crashes` times in a row while
   * processing it. `request` is plain data.
   */
  readonly onRefused: (request: object, crashes: number) => void;
  /** Clock: milliseconds, monotonic. */
  readonly now?: () => number;
}

/** Queue entry of a generation, from its arrival to its last event. */
export interface QueueEntry {
  /** Prompt length in tokens: estimated at first, then counted. */
  promptTokens: number;
  isRunning: boolean;
}

/** Generations of a scheduler, in order of arrival. */
export class QueueEntries {
  readonly #entries = new Set<QueueEntry>();
  readonly #onEmpty: (() => void)[] = [];

  /** @param promptTokens prompt length of each generation, in tokens */
  take(promptTokens: readonly number[]): readonly QueueEntry[] {
    const newEntries = promptTokens.map((tokens) => ({ promptTokens: tokens, isRunning: false }));
    for (const entry of newEntries) this.#entries.add(entry);
    return newEntries;
  }

  free(entries: Iterable<QueueEntry>): void {
    for (const entry of entries) this.#entries.delete(entry);
    if (this.#entries.size > 0) return;
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }

  /** Resolves when no generation is waiting or running. */
  async whenEmpty(): Promise<void> {
    if (this.#entries.size === 0) return;
    await new Promise<void>((resolve) => this.#onEmpty.push(resolve));
  }

  get size(): number {
    return this.#entries.size;
  }

  get running(): number {
    let running = 0;
    for (const entry of this.#entries) if (entry.isRunning) running++;
    return running;
  }

  /** Number of generations without a slot. */
  get waiting(): number {
    return this.#entries.size - this.running;
  }

  /**
   * Returns the prompt lengths of the generations without a slot, in order of arrival.
   * @param end stops before this generation; absent: includes all
   */
  listWaitingBefore(end?: QueueEntry): readonly number[] {
    const waiting: number[] = [];
    for (const entry of this.#entries) {
      if (entry === end) break;
      if (!entry.isRunning) waiting.push(entry.promptTokens);
    }
    return waiting;
  }
}

/** Aborts a request that waits too long. A timeout of 0 means no limit. */
export class WaitingLimit {
  readonly #timeoutMs: number;
  readonly #retryAfterSeconds: () => number;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param timeoutMs maximum waiting time in milliseconds; 0: no limit
   * @param computeRetryAfterSeconds computes `Retry-After` when the timeout expires
   */
  constructor(timeoutMs: number, retryAfterSeconds: () => number) {
    this.#timeoutMs = timeoutMs;
    this.#retryAfterSeconds = retryAfterSeconds;
  }

  /** Aborted with `queue_timeout` when the timeout expires. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the timeout: the request waits from now on. */
  begin(): void {
    if (this.#timeoutMs === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const message = `The request waited for ${this.#timeoutMs / 1000} s (--queue-timeout) and did not get a slot.`;
      const options = { retryAfterSeconds: this.#retryAfterSeconds() };
      this.#controller.abort(new GgufdError("queue_timeout", message, options));
    }, this.#timeoutMs);
  }

  /** Stops the timeout: the request has stopped waiting, for now. */
  end(): void {
    clearTimeout(this.#timer);
  }
}

/** Weight of a new measurement in the moving average, which thus covers about ten generations. */
const LATEST_WEIGHT = 0.1;

/** Time that a generation occupies its slot: a moving average over the finished generations. */
export class ServiceTime {
  readonly #now: () => number;
  #meanMs: number | undefined;

  /** @param now milliseconds on a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Average in milliseconds; `undefined` until a generation has finished. */
  get meanMs(): number | undefined {
    return this.#meanMs;
  }

  /** Returns a stopwatch for one generation. */
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
        if (startedAtMs !== undefined && !isInterrupted)
          this.#updateMean(this.#now() - startedAtMs);
      },
    };
  }

  #updateMean(durationMs: number): void {
    this.#meanMs = updateAverage(this.#meanMs, durationMs, LATEST_WEIGHT);
  }
}

export interface ServiceMeasurement {
  /** The generation entered the engine: `first` or `again`, after a restart. */
  begin(): "first" | "again";
  /**
   * The engine exited. The measurement is discarded, because an outage says nothing about the
   * duration of generations.
   */
  interrupt(): void;
  /** Records the measurement; does nothing if {@link begin} was never called. */
  end(): void;
}
