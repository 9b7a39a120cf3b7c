import PQueue from "p-queue";
import type { Engine } from "../core/engine.js";
import { GgufdError, toClientError } from "../core/errors.js";
import { type GenerationEvent, isFinal } from "../core/generation-event.js";
import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import type { Generation, GenerationService } from "../core/model-directory.js";
import { admit, type QueueLoad } from "./admission.js";
import { EventChannel } from "./event-channel.js";

/**
 * Lets requests wait for a slot of the engine, in order, and hands their events on.
 *
 * p-queue decides who runs. Its `signal` option serves waiting requests only: aborting it for a
 * running one would start the next while the engine still holds the slot until its next step.
 */
export class GenerationScheduler implements GenerationService {
  readonly #engine: Engine;
  readonly #limits: QueueLoad;
  readonly #queue: PQueue;
  readonly #waiting = new Set<PreparedGeneration>();
  /** Why nothing is admitted any more. */
  #over: GgufdError | undefined;
  /** Ends what is admitted when the server stops. */
  readonly #shutdowns = new Set<AbortController>();

  constructor(engine: Engine, limits: QueueLoad) {
    this.#engine = engine;
    this.#limits = limits;
    this.#queue = new PQueue({ concurrency: engine.description.slots });
  }

  async submit(request: GenerationRequest, signal: AbortSignal): Promise<Generation> {
    const prepared = await this.#engine.prepare(request);
    if (this.#over !== undefined) throw this.#over;
    admit({
      promptTokens: prepared.promptTokens.length,
      running: this.#queue.pending,
      slots: this.#queue.concurrency,
      waiting: this.#waitingLoad(),
      limits: this.#limits,
    });
    const channel = new EventChannel();
    void this.#run(prepared, signal, channel);
    return { promptTokens: prepared.promptTokens.length, events: channel };
  }

  /** Resolves when nothing waits or runs any more. */
  idle(): Promise<void> {
    return this.#queue.onIdle();
  }

  /** Ends everything that waits or runs; clients are told that the server shuts down. */
  endAll(): void {
    const reason = new GgufdError("shutting_down", "The server is shutting down.", {
      retryAfterSeconds: 5,
    });
    this.#over = reason;
    for (const shutdown of this.#shutdowns) shutdown.abort(reason);
  }

  /** Carries one generation from waiting to its last event. Never rejects. */
  async #run(
    prepared: PreparedGeneration,
    clientGone: AbortSignal,
    channel: EventChannel,
  ): Promise<void> {
    const shutdown = new AbortController();
    this.#shutdowns.add(shutdown);
    const ended = AbortSignal.any([clientGone, shutdown.signal]);
    const leaveQueue = new AbortController();
    let leave = () => leaveQueue.abort();
    ended.addEventListener("abort", () => leave(), { once: true });
    if (ended.aborted) leave();

    this.#waiting.add(prepared);
    try {
      await this.#queue.add(
        () => {
          this.#waiting.delete(prepared);
          leave = () => this.#engine.cancel(prepared.id);
          return this.#generate(prepared, ended, channel);
        },
        { signal: leaveQueue.signal },
      );
    } catch (error) {
      channel.push(ended.aborted ? endOf(ended) : { type: "failed", error: toClientError(error) });
    } finally {
      this.#waiting.delete(prepared);
      this.#shutdowns.delete(shutdown);
    }
  }

  #generate(
    prepared: PreparedGeneration,
    ended: AbortSignal,
    channel: EventChannel,
  ): Promise<void> {
    return new Promise((resolve) => {
      this.#engine.start(prepared, (event) => {
        channel.push(event.type === "cancelled" ? endOf(ended) : event);
        if (isFinal(event)) resolve();
      });
    });
  }

  #waitingLoad(): QueueLoad {
    let promptTokens = 0;
    for (const prepared of this.#waiting) promptTokens += prepared.promptTokens.length;
    return { requests: this.#waiting.size, promptTokens };
  }
}

/** What a client is told whose generation was ended from outside. */
function endOf(signal: AbortSignal): GenerationEvent {
  return signal.reason instanceof GgufdError
    ? { type: "failed", error: signal.reason }
    : { type: "cancelled" };
}
