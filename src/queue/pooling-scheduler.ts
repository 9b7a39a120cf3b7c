import type { Caller } from "../core/caller.js";
import type {
  PoolingAnswer,
  PoolingDescription,
  PoolingEngine,
  PoolingRequest,
  PoolingService,
} from "../core/pooling.js";
import { estimateInputTokens } from "./estimated-tokens.js";
import { createLastEvent } from "./event-channel.js";
import { retryAcrossRestarts } from "./retry-across-restarts.js";
import {
  type QueueEntry,
  type SchedulerOptions,
  SlotQueue,
  type WaitingLimit,
} from "./slot-queue.js";

/**
 * Batches of inputs in the engine or queued right behind, so that the engine never idles between
 * batches.
 */
const BATCHES_AHEAD = 2;

/**
 * Priority of requests of batches, by which they are behind all others. In seconds of waiting, like
 * all priorities: a month.
 */
const BATCH_PRIORITY = -2_592_000;

/**
 * Queues requests for a pooling engine, with a fair share per caller. The engine computes several
 * requests together, alternating between their inputs. When the engine exits, the requests in it
 * run again in the next one.
 */
export class PoolingScheduler implements PoolingService {
  readonly #engine: PoolingEngine;
  readonly #options: SchedulerOptions;
  readonly #slots: SlotQueue;

  constructor(engine: PoolingEngine, options: SchedulerOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#slots = new SlotQueue(concurrencyOf(engine.description), options);
  }

  async pool(request: PoolingRequest, caller: Caller): Promise<PoolingAnswer> {
    caller.signal.throwIfAborted();
    this.#slots.rejectAfterShutdown();
    const promptTokens = estimateInputTokens(request);
    this.#slots.admit([promptTokens], this.#slots.entries.listWaitingBefore());
    // The exact number is known only when the inputs are pooled.
    const [settle] = caller.tokens?.admit([{ promptTokens: 0, maxTokens: promptTokens }]) ?? [];
    let usedTokens: number | undefined;
    const onRunning = () => {
      usedTokens = 0;
    };
    const entries = this.#slots.entries.take([promptTokens]);
    const controller = this.#slots.openController();
    const waiting = this.#slots.createWaitingLimit(caller);
    const signal = AbortSignal.any([caller.signal, controller.signal, waiting.signal]);
    const { keyName } = caller;
    caller.observe(0, {
      type: "waiting",
      model: this.#options.model,
      ...(keyName !== undefined && { keyName }),
      promptTokens: 0,
    });
    waiting.begin();
    try {
      const answer = await this.#slots.runQueue.add(
        () => this.#run({ request, caller, entries, signal, waiting, onRunning }),
        {
          signal,
          id: request.id,
          caller: caller.name,
          weight: caller.weight,
          priority: caller.class === "batch" ? BATCH_PRIORITY : 0,
        },
      );
      caller.observe(0, { type: "pooled", promptTokens: answer.promptTokens });
      usedTokens = answer.promptTokens;
      return answer;
    } catch (error) {
      caller.observe(0, { type: "event", event: createLastEvent(error, signal) });
      throw error;
    } finally {
      waiting.end();
      this.#slots.forgetController(controller);
      this.#slots.entries.free(entries);
      settle?.(usedTokens);
    }
  }

  /** Number of waiting and running requests. */
  get inFlight(): number {
    return this.#slots.entries.size;
  }

  /** Resolves when no request is waiting or running. */
  whenIdle(): Promise<void> {
    return this.#slots.entries.whenEmpty();
  }

  /** The engine has exited: the requests in it wait for the next one. */
  suspend(): void {
    this.#slots.suspend();
  }

  /** A new engine is running. */
  resume(description: PoolingDescription): void {
    this.#slots.resume(concurrencyOf(description));
  }

  /**
   * Aborts all waiting and running requests with `shutting_down`; later requests fail with it too.
   */
  endAll(): void {
    this.#slots.endAll();
  }

  /**
   * Runs a request until it is answered, restarting it in the next engine when the engine exits.
   */
  async #run({
    request,
    caller,
    entries,
    signal,
    waiting,
    onRunning,
  }: AdmittedRequest): Promise<PoolingAnswer> {
    for (const entry of entries) entry.isRunning = true;
    const service = this.#slots.serviceTime.measure();
    const answer = await retryAcrossRestarts({
      attempt: () => this.#runInEngine(request, signal),
      gate: this.#slots.gate,
      isolation: "gate",
      signal,
      answer: () => "unseen",
      onEntered: () => {
        waiting.end();
        service.begin();
        onRunning();
        caller.observe(0, { type: "running" });
      },
      onCrash: () => {
        service.interrupt();
        waiting.begin();
        caller.observe(0, { type: "paused" });
      },
      onRefused: (crashes) => this.#options.onRefused(request, crashes),
    });
    service.end();
    return answer;
  }

  async #runInEngine(request: PoolingRequest, signal: AbortSignal): Promise<PoolingAnswer> {
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

/** An admitted request with its queue slots and its waiting limit. */
interface AdmittedRequest {
  readonly request: PoolingRequest;
  readonly caller: Caller;
  readonly entries: readonly QueueEntry[];
  readonly signal: AbortSignal;
  readonly waiting: WaitingLimit;
  /** Called whenever the request enters the engine. */
  readonly onRunning: () => void;
}

function concurrencyOf({ sequences }: PoolingDescription): number {
  return BATCHES_AHEAD * sequences;
}
