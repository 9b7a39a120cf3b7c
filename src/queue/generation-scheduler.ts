import assert from "node:assert/strict";
import PQueue from "p-queue";
import type { Caller, ExpectedTokens, SettleTokens } from "../core/caller.js";
import { createCancelledGeneration } from "../core/cancelled-generation.js";
import type { EmitGeneration, Engine, EngineDescription } from "../core/engine.js";
import { GgufdError } from "../core/errors.js";
import type {
  GenerationRequest,
  GenerationStart,
  PreparedRequest,
} from "../core/generation-request.js";
import type { Generation, GenerationService, SlotView } from "../core/model-directory.js";
import { sumBy } from "../core/sum-by.js";
import { estimatePromptTokens } from "./estimated-tokens.js";
import { createAbortEvent, createLastEvent, EventChannel } from "./event-channel.js";
import { createFairQueueClass, type FairQueue, type RunOptions } from "./fair-queue.js";
import { GenerationRun } from "./generation-run.js";
import { HeldRequest } from "./held-request.js";
import { isolationIn, retryAcrossRestarts } from "./retry-across-restarts.js";
import {
  addRun,
  QueueEntries,
  type QueueEntry,
  type SchedulerOptions,
  SlotQueue,
} from "./slot-queue.js";
import { SlotViews } from "./slot-views.js";

export interface GenerationSchedulerOptions extends SchedulerOptions {
  /**
   * Draws the seed of a request without one. Drawn once per request, so that a restarted request
   * repeats its answer.
   */
  readonly drawSeed: () => number;
}

/**
 * Queues requests for the engine's slots, with a fair share per caller ({@link SlotQueue}), and
 * forwards their events. Each choice of a request takes a slot; if one choice fails, the others are
 * cancelled.
 *
 * p-queue limits the concurrency. Its `signal` option is used for waiting requests only: aborting a
 * running one would start the next request although the engine holds the slot until its next step.
 *
 * Generations of batches have a separate queue; the engine suspends them for all others.
 *
 * When the engine exits, generations with a slot keep it and run again in the next engine
 * ({@link GenerationRun}), and requests that were being prepared are prepared again.
 */
export class GenerationScheduler implements GenerationService {
  readonly #engine: Engine;
  readonly #options: GenerationSchedulerOptions;
  readonly #slots: SlotQueue;
  /** Generations of batches, of which the engine gets as many as it has slots. */
  readonly #batchQueue: PQueue<FairQueue, RunOptions>;
  /** Generations of batches. */
  readonly #batchEntries = new QueueEntries();
  readonly #views = new SlotViews();
  /** Generations from their entry in the queue to their last event. */
  readonly #running = new Set<GenerationStart>();

  constructor(engine: Engine, options: GenerationSchedulerOptions) {
    this.#engine = engine;
    this.#options = options;
    const { slots } = engine.description;
    this.#slots = new SlotQueue(slots, options);
    const { now = () => performance.now() } = options;
    this.#batchQueue = new PQueue({ concurrency: slots, queueClass: createFairQueueClass(now) });
  }

  async submit(requests: readonly GenerationRequest[], caller: Caller): Promise<Generation> {
    this.#slots.rejectAfterShutdown();
    const estimates = requests.flatMap((request) =>
      new Array<number>(request.choices ?? 1).fill(estimatePromptTokens(request)),
    );
    // The number of a batch's requests is limited by its runner.
    if (caller.class !== "batch") {
      this.#slots.admit(estimates, this.#slots.entries.listWaitingBefore());
    }
    const entries = this.#entriesOf(caller).take(estimates);
    const controller = this.#slots.openController();
    const tools = requests.flatMap(listOfferedTools);
    const heldRequests = requests.map(
      (one) => new HeldRequest(one, this.#engine, this.#slots.gate),
    );
    const arrival = {
      heldRequests,
      entries,
      controller,
      caller,
      tools,
      priority: requests[0]?.priority ?? 0,
    };
    try {
      const prepared = await Promise.all(
        heldRequests.map(async (one) => ({
          heldRequest: one,
          prepared: await this.#prepare(one, arrival),
        })),
      );
      controller.signal.throwIfAborted();
      const answers = prepared.flatMap((one) => this.#createAnswers(one, caller));
      assert.equal(answers.length, entries.length, "expected one queue slot per answer");
      const promptLengths = answers.map(({ prepared: { promptTokens } }) => promptTokens);
      for (const [index, entry] of entries.entries())
        entry.promptTokens = promptLengths[index] ?? 0;
      if (caller.class !== "batch") {
        this.#slots.admit(promptLengths, this.#slots.entries.listWaitingBefore(entries[0]));
      }
      const promptTokens = sumBy(prepared, (one) => one.prepared.promptTokens);
      return this.#begin(promptTokens, answers, arrival);
    } catch (error) {
      // Cancels the preparation of the request's other prompts.
      controller.abort();
      this.#forget(arrival);
      this.#entriesOf(caller).free(entries);
      const { aborted, reason } = caller.signal;
      if (aborted && error === reason && !(reason instanceof GgufdError)) {
        return createCancelledGeneration(estimates.length);
      }
      throw error;
    }
  }

  async countTokens(request: GenerationRequest, { signal }: Caller): Promise<number> {
    const heldRequest = new HeldRequest(request, this.#engine, this.#slots.gate);
    const release = () => heldRequest.release();
    signal.addEventListener("abort", release, { once: true });
    try {
      const { promptTokens } = await heldRequest.prepare();
      return promptTokens;
    } finally {
      signal.removeEventListener("abort", release);
      release();
    }
  }

  /** See {@link GenerationModel.endReasoning}. */
  async endReasoning(requestId: string): Promise<boolean> {
    const ids = [...this.#running].flatMap((one) => (one.requestId === requestId ? [one.id] : []));
    const ended = await Promise.all(ids.map((id) => this.#endReasoningOf(id)));
    return ended.includes(true);
  }

  /** See {@link SlotService.list}. */
  async slots(): Promise<readonly SlotView[]> {
    return this.#views.toViews(await this.#engine.slots());
  }

  /** Number of generations that are being prepared, waiting or running. */
  get inFlight(): number {
    return this.#slots.entries.size + this.#batchEntries.size;
  }

  /** Resolves when no request is being prepared, waiting or running. */
  async whenIdle(): Promise<void> {
    while (this.inFlight > 0) {
      await this.#slots.entries.whenEmpty();
      await this.#batchEntries.whenEmpty();
    }
  }

  /** The engine has exited: generations with a slot wait for the next one. */
  suspend(): void {
    this.#slots.suspend();
  }

  /** A new engine is running, possibly with a different number of slots. */
  resume({ slots }: Pick<EngineDescription, "slots">): void {
    this.#batchQueue.concurrency = slots;
    this.#slots.resume(slots);
  }

  /** Sets the maximum number of generations in the engine at once. */
  resize(slots: number): void {
    this.#batchQueue.concurrency = slots;
    this.#slots.resize(slots);
  }

  /** A replica has exited and others are running: its generations run again at once. */
  noteCrash(): void {
    this.#slots.gate.noteCrash();
  }

  /** Aborts all requests with `shutting_down`; later requests fail with it too. */
  endAll(): void {
    this.#slots.endAll();
  }

  async #endReasoningOf(id: string): Promise<boolean> {
    try {
      return await this.#engine.endReasoning(id);
    } catch (error) {
      // The answer does not reason until the next engine resumes it.
      if (error instanceof GgufdError && error.code === "model_unavailable") return false;
      throw error;
    }
  }

  async #prepare(
    heldRequest: HeldRequest,
    { controller, caller }: Arrival,
  ): Promise<PreparedRequest> {
    const waiting = this.#slots.createWaitingLimit(caller);
    waiting.begin();
    try {
      return await retryAcrossRestarts({
        attempt: () => heldRequest.prepare(),
        gate: this.#slots.gate,
        isolation: isolationIn(this.#engine),
        signal: AbortSignal.any([caller.signal, controller.signal, waiting.signal]),
        answer: () => "unseen",
        onEntered: () => waiting.end(),
        onCrash: () => waiting.begin(),
        onRefused: (crashes) => this.#options.onRefused(heldRequest.request, crashes),
      });
    } finally {
      waiting.end();
    }
  }

  /**
   * Returns one answer per choice of a request: same prompt, different ids. The engine evaluates
   * the prompt for the first answer; the others copy it. The seed is drawn here, so that the
   * answers can run again after a restart.
   */
  #createAnswers(
    { heldRequest, prepared }: Omit<Answer, "generation">,
    { keyName: owner, class: requestClass }: Caller,
  ): readonly Answer[] {
    const { id: requestId, choices = 1, sampling } = heldRequest.request;
    const { seed = this.#options.drawSeed() } = sampling;
    const common = {
      requestId,
      seed,
      ...(owner !== undefined && { owner }),
      ...(requestClass !== undefined && { class: requestClass }),
    };
    return Array.from({ length: choices }, (_, choice) => ({
      heldRequest,
      prepared,
      generation:
        choice === 0
          ? { ...common, id: requestId }
          : { ...common, id: `${requestId}-${choice}`, choice },
    }));
  }

  #entriesOf(caller: Caller): QueueEntries {
    return caller.class === "batch" ? this.#batchEntries : this.#slots.entries;
  }

  #forget({ controller, heldRequests }: Pick<Arrival, "controller" | "heldRequests">): void {
    this.#slots.forgetController(controller);
    for (const one of heldRequests) one.release();
  }

  #begin(
    promptTokens: number,
    answers: readonly Answer[],
    { entries, tools, ...arrival }: Arrival,
  ): Generation {
    const { caller } = arrival;
    const settles = caller.tokens?.admit(answers.map(expectTokens));
    const channel = new EventChannel(answers.length);
    const runs = answers.map((answer, choice) => {
      const entry = entries[choice];
      if (entry === undefined)
        throw new Error(`choice ${choice} is not among the request's choices`);
      const { keyName } = caller;
      const { promptTokens, media } = answer.prepared;
      const adapters = listChosenAdapters(answer.heldRequest.request);
      const sharesPrompt =
        answer.generation.choice === undefined ? {} : { sharesPrompt: true as const };
      caller.observe(choice, {
        type: "waiting",
        model: this.#options.model,
        ...(keyName !== undefined && { keyName }),
        promptTokens,
        ...(tools.length > 0 && { tools }),
        ...(adapters.length > 0 && { adapters }),
        ...(media !== undefined && { media }),
        ...sharesPrompt,
      });
      return this.#run({
        ...arrival,
        ...answer,
        entry,
        choice,
        channel,
        settleTokens: settles?.[choice],
      });
    });
    void Promise.all(runs).then(() => this.#forget(arrival));
    return { promptTokens, events: channel };
  }

  /** Runs one generation from the queue to its last event. Never rejects. */
  async #run(admittedAnswer: AdmittedGeneration): Promise<void> {
    const {
      heldRequest,
      prepared,
      generation,
      entry,
      priority,
      caller,
      controller,
      choice,
      channel,
      settleTokens,
    } = admittedAnswer;
    const { id } = generation;
    const waiting = this.#slots.createWaitingLimit(caller);
    const signal = AbortSignal.any([caller.signal, controller.signal, waiting.signal]);
    let completionTokens: number | undefined;
    this.#running.add(generation);
    const emit: EmitGeneration = (engineEvent, tokens = []) => {
      if ("usage" in engineEvent) {
        completionTokens = engineEvent.usage.completionTokens;
        this.#views.update(id, engineEvent.usage);
      }
      const event = engineEvent.type === "cancelled" ? createAbortEvent(signal) : engineEvent;
      caller.observe(choice, { type: "event", event });
      channel.push({ choice, event, ...(tokens.length > 0 && { tokens }) });
      if (event.type === "failed") controller.abort();
    };
    const service = this.#slots.serviceTime.measure();
    // The time includes pauses, and admission concerns other requests.
    if (caller.class === "batch") service.interrupt();
    const run = new GenerationRun({
      engine: this.#engine,
      gate: this.#slots.gate,
      heldRequest,
      generation,
      signal,
      emit,
      decideAfterInterruption: caller.decideAfterInterruption,
      onRunning: () => {
        completionTokens ??= 0;
        waiting.end();
        if (service.begin() === "first") this.#views.begin(id, prepared);
        caller.observe(choice, { type: "running" });
      },
      onWaiting: () => {
        service.interrupt();
        waiting.begin();
        caller.observe(choice, { type: "paused" });
      },
      onRefused: this.#options.onRefused,
    });

    const runOptions = { id, caller: caller.name, weight: caller.weight, signal };
    waiting.begin();
    try {
      const queue = caller.class === "batch" ? this.#batchQueue : this.#slots.runQueue;
      const start = () => {
        entry.isRunning = true;
        return run.complete();
      };
      // The API follows vLLM: lower values come first. p-queue runs greater values first.
      await addRun(queue, start, { ...runOptions, priority: -priority });
    } catch (error) {
      emit(createLastEvent(error, signal));
    } finally {
      waiting.end();
      this.#views.end(id);
      this.#running.delete(generation);
      this.#entriesOf(caller).free([entry]);
      service.end();
      settleTokens?.(completionTokens);
    }
  }
}

/** Submitted requests with their caller and the queue slots of their answers. */
interface Arrival {
  readonly heldRequests: readonly HeldRequest[];
  readonly entries: readonly QueueEntry[];
  readonly priority: number;
  readonly caller: Caller;
  /** Names of the tools that the requests offer. */
  readonly tools: readonly string[];
  /** Aborted when one of the answers fails, and at shutdown with the shutdown error. */
  readonly controller: AbortController;
}

/** One answer to a prepared request. */
interface Answer {
  readonly heldRequest: HeldRequest;
  readonly prepared: PreparedRequest;
  readonly generation: GenerationStart;
}

/** An answer with its queue slot. */
interface AdmittedGeneration extends Answer, Pick<Arrival, "priority" | "caller" | "controller"> {
  readonly entry: QueueEntry;
  /** Index among the answers. */
  readonly choice: number;
  /** Receives the answer's events. */
  readonly channel: EventChannel;
  /** Charges its tokens; `undefined`: they are neither limited nor counted. */
  readonly settleTokens: SettleTokens | undefined;
}

function expectTokens({ prepared, generation: { choice } }: Answer): ExpectedTokens {
  const { promptTokens, maxTokens } = prepared;
  return { promptTokens: choice === undefined ? promptTokens : 0, maxTokens };
}

function listOfferedTools({ prompt }: GenerationRequest): readonly string[] {
  return prompt.type === "chat" ? prompt.tools.map(({ name }) => name) : [];
}

function listChosenAdapters({ adapters = [] }: GenerationRequest): readonly string[] {
  return adapters.flatMap(({ name, scale }) => (scale === 0 ? [] : [name]));
}
