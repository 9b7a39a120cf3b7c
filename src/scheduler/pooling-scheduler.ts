import PQueue from "p-queue";
import type { Caller } from "../core/caller.js";
import type {
  PoolingAnswer,
  PoolingDescription,
  PoolingEngine,
  PoolingRequest,
  PoolingService,
} from "../core/pooling.js";
import { admit } from "./admission.js";
import { EngineGate } from "./engine-gate.js";
import { estimatedInputTokens } from "./estimated-tokens.js";
import { type FairQueue, fairQueueBy, type TurnOptions } from "./fair-queue.js";
import { lastEventOf } from "./last-event.js";
import { type Place, Places } from "./places.js";
import { retryAfterSeconds } from "./retry-after.js";
import type { SchedulerOptions } from "./scheduler-options.js";
import { ServiceTime } from "./service-time.js";
import { shuttingDown } from "./shutting-down.js";
import { untilNotLost } from "./until-not-lost.js";
import { WaitingLimit } from "./waiting-limit.js";

/** Batches of inputs that are in the engine or on their way to it, so that it never waits. */
const BATCHES_AHEAD = 2;

/**
 * Queues requests for a pooling engine, by turns of their callers. The engine computes several of them together,
 * input by input in turn. When it is lost, what was in it runs again in the next one.
 */
export class PoolingScheduler implements PoolingService {
  readonly #engine: PoolingEngine;
  readonly #options: SchedulerOptions;
  readonly #queue: PQueue<FairQueue, TurnOptions>;
  readonly #gate = new EngineGate();
  readonly #places = new Places();
  readonly #serviceTime: ServiceTime;
  /** Of the requests that have not ended. */
  readonly #endings = new Set<AbortController>();
  #isEnding = false;

  constructor(engine: PoolingEngine, options: SchedulerOptions) {
    const { now = () => performance.now() } = options;
    this.#engine = engine;
    this.#options = options;
    this.#serviceTime = new ServiceTime(now);
    this.#queue = new PQueue({
      concurrency: concurrencyOf(engine.description),
      queueClass: fairQueueBy(now),
    });
  }

  async pool(request: PoolingRequest, caller: Caller): Promise<PoolingAnswer> {
    caller.signal.throwIfAborted();
    if (this.#isEnding) throw shuttingDown();
    const promptTokens = estimatedInputTokens(request);
    const slots = this.#queue.concurrency;
    admit({
      promptTokens: [promptTokens],
      ahead: this.#places.waitingBefore(),
      freeSlots: Math.max(0, slots - this.#places.running),
      slots,
      limits: this.#options.limits,
      serviceMs: this.#serviceTime.meanMs,
    });
    const places = this.#places.take([promptTokens]);
    const ending = new AbortController();
    this.#endings.add(ending);
    const waiting = new WaitingLimit(this.#options.queueTimeoutMs, () => this.#retryAfterSeconds());
    const signal = AbortSignal.any([caller.signal, ending.signal, waiting.signal]);
    caller.observe(0, { type: "waiting", model: this.#options.model, promptTokens: 0 });
    waiting.begin();
    try {
      const answer = await this.#queue.add(
        () => this.#run({ request, caller, places, signal, waiting }),
        { signal, id: request.id, caller: caller.name, weight: caller.weight },
      );
      caller.observe(0, { type: "pooled", promptTokens: answer.promptTokens });
      caller.tokens?.charge(answer.promptTokens);
      return answer;
    } catch (error) {
      caller.observe(0, { type: "event", event: lastEventOf(error, signal) });
      throw error;
    } finally {
      waiting.end();
      this.#endings.delete(ending);
      this.#places.free(places);
    }
  }

  /** Resolves when no request is waiting or running. */
  idle(): Promise<void> {
    return this.#places.empty();
  }

  /** The engine is lost: what was in it waits for the next one. */
  suspend(): void {
    this.#gate.shut();
  }

  /** There is an engine again. */
  resume(description: PoolingDescription): void {
    this.#queue.concurrency = concurrencyOf(description);
    this.#gate.open();
  }

  /** Aborts all waiting and running requests; they fail with `shutting_down`, and so do those that come later. */
  endAll(): void {
    this.#isEnding = true;
    for (const ending of this.#endings) ending.abort(shuttingDown());
  }

  /** Runs a request until it is answered, in the next engine where one is lost. */
  async #run({ request, caller, places, signal, waiting }: Waiting): Promise<PoolingAnswer> {
    for (const place of places) place.isRunning = true;
    const service = this.#serviceTime.measure();
    const answer = await untilNotLost({
      attempt: () => this.#inEngine(request, signal),
      gate: this.#gate,
      signal,
      answer: () => "unseen",
      onEntered: () => {
        waiting.end();
        if (service.begin() === "first") caller.observe(0, { type: "running" });
      },
      onLost: () => {
        service.interrupt();
        waiting.begin();
      },
      onRefused: (losses) => this.#options.onRefused(request, losses),
    });
    service.end();
    return answer;
  }

  #retryAfterSeconds(): number {
    return retryAfterSeconds({
      waiting: this.#places.waiting,
      slots: this.#queue.concurrency,
      serviceMs: this.#serviceTime.meanMs,
    });
  }

  async #inEngine(request: PoolingRequest, signal: AbortSignal): Promise<PoolingAnswer> {
    const cancel = () => this.#engine.cancel(request.id);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const answer = await this.#engine.pool(request);
      if (answer !== "cancelled") return answer;
      throw signal.reason;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }
}

/** An admitted request, and what ends its waiting. */
interface Waiting {
  readonly request: PoolingRequest;
  readonly caller: Caller;
  readonly places: readonly Place[];
  readonly signal: AbortSignal;
  readonly waiting: WaitingLimit;
}

function concurrencyOf({ sequences }: PoolingDescription): number {
  return BATCHES_AHEAD * sequences;
}
