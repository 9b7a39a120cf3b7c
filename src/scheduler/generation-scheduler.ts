import PQueue from "p-queue";
import type { Caller } from "../core/caller.js";
import type { Engine } from "../core/engine.js";
import { GgufdError, toClientError } from "../core/errors.js";
import { type GenerationEvent, isFinal } from "../core/generation-event.js";
import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import type { Generation, GenerationService } from "../core/model-directory.js";
import { admit, type QueueLoad } from "./admission.js";
import { choicesOf } from "./choices.js";
import { EventChannel } from "./event-channel.js";

type Emit = (event: GenerationEvent) => void;

/**
 * Queues requests for the engine's slots, first in, first out, and forwards their events. Each choice
 * of a request takes a slot; if one fails, the others are cancelled.
 *
 * p-queue limits the concurrency. Its `signal` option is used for waiting requests only: aborting a
 * running one would start the next request although the engine holds the slot until its next step.
 */
export class GenerationScheduler implements GenerationService {
  readonly #engine: Engine;
  readonly #limits: QueueLoad;
  readonly #queue: PQueue;
  readonly #waiting = new Set<PreparedGeneration>();
  /** Set at shutdown: the error of all later requests. */
  #shutdownError: GgufdError | undefined;
  /** Abort the admitted requests at shutdown. */
  readonly #shutdownControllers = new Set<AbortController>();

  constructor(engine: Engine, limits: QueueLoad) {
    this.#engine = engine;
    this.#limits = limits;
    this.#queue = new PQueue({ concurrency: engine.description.slots });
  }

  submit(request: GenerationRequest, caller: Caller): Promise<Generation> {
    return this.submitAll([request], caller);
  }

  async submitAll(requests: readonly GenerationRequest[], { signal }: Caller): Promise<Generation> {
    const prepared = await Promise.all(requests.map((request) => this.#engine.prepare(request)));
    if (this.#shutdownError !== undefined) throw this.#shutdownError;
    const choices = prepared.flatMap((one, index) => choicesOf(one, requests[index]?.choices ?? 1));
    admit({
      promptTokens: choices.map(({ promptTokens }) => promptTokens.length),
      running: this.#queue.pending,
      slots: this.#queue.concurrency,
      waiting: this.#waitingLoad(),
      limits: this.#limits,
    });
    const channel = new EventChannel(choices.length);
    const failure = new AbortController();
    for (const [choice, one] of choices.entries()) {
      void this.#run(one, [signal, failure.signal], (event) => {
        channel.push({ choice, event });
        if (event.type === "failed") failure.abort();
      });
    }
    const promptTokens = prepared.reduce((sum, one) => sum + one.promptTokens.length, 0);
    return { promptTokens, events: channel };
  }

  async countTokens(request: GenerationRequest): Promise<number> {
    const { promptTokens } = await this.#engine.prepare(request);
    return promptTokens.length;
  }

  /** Resolves when no request is waiting or running. */
  idle(): Promise<void> {
    return this.#queue.onIdle();
  }

  /** Aborts all waiting and running requests; they fail with `shutting_down`. */
  endAll(): void {
    const reason = new GgufdError("shutting_down", "The server is shutting down.", {
      retryAfterSeconds: 5,
    });
    this.#shutdownError = reason;
    for (const shutdown of this.#shutdownControllers) shutdown.abort(reason);
  }

  /** Runs one generation from the queue to its last event. Never rejects. */
  async #run(
    prepared: PreparedGeneration,
    signals: readonly AbortSignal[],
    onEvent: Emit,
  ): Promise<void> {
    const shutdown = new AbortController();
    this.#shutdownControllers.add(shutdown);
    const abortSignal = AbortSignal.any([...signals, shutdown.signal]);
    const queueController = new AbortController();
    let cancel = () => queueController.abort();
    abortSignal.addEventListener("abort", () => cancel(), { once: true });
    if (abortSignal.aborted) cancel();
    const emit: Emit = (event) => {
      // A failure aborts all choices: this one has ended.
      if (isFinal(event)) cancel = () => undefined;
      onEvent(event);
    };

    this.#waiting.add(prepared);
    try {
      await this.#queue.add(
        () => {
          this.#waiting.delete(prepared);
          cancel = () => this.#engine.cancel(prepared.id);
          return this.#generate(prepared, abortSignal, emit);
        },
        { signal: queueController.signal },
      );
    } catch (error) {
      emit(
        abortSignal.aborted
          ? abortEvent(abortSignal)
          : { type: "failed", error: toClientError(error) },
      );
    } finally {
      this.#waiting.delete(prepared);
      this.#shutdownControllers.delete(shutdown);
    }
  }

  #generate(prepared: PreparedGeneration, abortSignal: AbortSignal, emit: Emit): Promise<void> {
    return new Promise((resolve) => {
      this.#engine.start(prepared, (event) => {
        emit(event.type === "cancelled" ? abortEvent(abortSignal) : event);
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

/** The last event of an aborted generation. */
function abortEvent(signal: AbortSignal): GenerationEvent {
  return signal.reason instanceof GgufdError
    ? { type: "failed", error: signal.reason }
    : { type: "cancelled" };
}
