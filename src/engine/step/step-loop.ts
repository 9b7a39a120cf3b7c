import { toClientError } from "../../core/errors.js";
import { type GenerationEvent, isFinal } from "../../core/generation-event.js";
import type { PreparedGeneration } from "../../core/generation-request.js";
import type { Logits, TokenContext } from "../llama/token-context.js";
import { type Lease, SequencePool } from "../prefix-cache/sequence-pool.js";
import type { StateStore } from "../prefix-cache/state-store.js";
import type { Draft } from "../speculation/generation-drafts.js";
import type { Speculator } from "../speculation/speculator.js";
import type { RunningGeneration } from "./running-generation.js";
import { StepPlanner } from "./step-planner.js";
import { NO_STEP, reportStep, type StepReport } from "./step-report.js";
import { type PlannedStep, type StepWork, toWork } from "./step-work.js";

type Emit = (event: GenerationEvent) => void;

/** A generation that waits for a sequence. */
interface Waiting {
  readonly prepared: PreparedGeneration;
  readonly emit: Emit;
}

/** What it takes to begin a generation on a sequence. */
export interface Admission extends Waiting {
  readonly lease: Lease;
  readonly admitted: number;
  readonly cachedTokens: number;
}

export interface StepLoopOptions {
  readonly context: TokenContext;
  /** Keeps states whose sequence is needed for something else. */
  readonly store?: StateStore | undefined;
  readonly begin: (admission: Admission) => RunningGeneration;
  /** Longest time between two tokens of a generation that is aimed at, in milliseconds. */
  readonly itlTargetMs: number;
  /** Proposes tokens that may follow; absent: tokens come one at a time. */
  readonly speculator?: Speculator | undefined;
  /** Called after each step, when all its events have been emitted. */
  readonly onStepEnd: (report: StepReport) => void;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/**
 * The engine's heart: lockstep continuous batching. One step admits what waits, advances every
 * running generation by one token or one slice of its prompt in a single native batch, and retires
 * what has ended. Cancellation takes effect between steps. Each sequence is leased by one
 * generation at a time and returned, with its tokens still cached, in the step that retires it.
 */
export class StepLoop {
  readonly #options: StepLoopOptions;
  readonly #pool: SequencePool;
  readonly #planner: StepPlanner;
  readonly #running = new Set<RunningGeneration>();
  /** Ids of what has been started and has not ended, wherever it is. */
  readonly #inFlight = new Set<string>();
  /** Those of them that end at the border of the current step. */
  readonly #cancelled = new Set<string>();
  #waiting: Waiting[] = [];
  #admissions = 0;
  #loop: Promise<void> | undefined;

  constructor(options: StepLoopOptions) {
    this.#options = options;
    this.#pool = new SequencePool(options.context, options.store);
    const { itlTargetMs, context, now } = options;
    this.#planner = new StepPlanner({ itlTargetMs, batchSize: context.batchSize, now });
  }

  /** Queues a generation; it begins in the next step that has a sequence for it. */
  start(prepared: PreparedGeneration, emit: Emit): void {
    const { id } = prepared;
    this.#inFlight.add(id);
    const emitAndForget = (event: GenerationEvent) => {
      if (isFinal(event)) {
        this.#inFlight.delete(id);
        this.#cancelled.delete(id);
      }
      emit(event);
    };
    this.#waiting.push({ prepared, emit: emitAndForget });
    this.#loop ??= this.#run();
  }

  /** Ends a generation at the border of the current step; unknown ids are ignored. */
  cancel(id: string): void {
    if (this.#inFlight.has(id)) this.#cancelled.add(id);
  }

  /** Cancels everything, waits for the last step and saves what is worth it. */
  async close(): Promise<void> {
    for (const id of this.#inFlight) this.#cancelled.add(id);
    await this.#loop;
    await this.#pool.saveAll();
  }

  async #run(): Promise<void> {
    // `start` promises not to emit before it has returned.
    await Promise.resolve();
    while (this.#waiting.length > 0 || this.#running.size > 0) {
      const report = await this.#step().catch((error) => this.#failAll(error));
      this.#options.onStepEnd(report);
    }
    // In one go with the check above: a start in between would wait for ever.
    this.#loop = undefined;
  }

  /** A step failed beyond one generation or batch: nobody is left hanging. */
  #failAll(error: unknown): StepReport {
    for (const generation of [...this.#running]) this.#fail(generation, error);
    for (const { emit } of this.#waiting) emit({ type: "failed", error: toClientError(error) });
    this.#waiting = [];
    return NO_STEP;
  }

  async #step(): Promise<StepReport> {
    const { now } = this.#options;
    const begun = now();
    this.#retireCancelled();
    await this.#admit();
    if (this.#waiting.length === 0) await this.#pool.pack();
    const planned = this.#plan();
    const beforeDrafting = now();
    const drafts = await this.#draft(planned);
    const beforeBatch = now();
    const work = planned.map((item) => toWork(item, drafts));
    const logits = await this.#evaluate(work);
    const beforeSampling = now();
    await Promise.all(work.map((item, index) => this.#draw(item, logits?.[index] ?? [])));
    const ended = now();
    const report = reportStep(
      work,
      {
        draftMs: beforeBatch - beforeDrafting,
        evaluateMs: beforeSampling - beforeBatch,
        sampleMs: ended - beforeSampling,
        totalMs: now() - begun,
      },
      this.#options.context.batchSize,
    );
    this.#planner.learn(report);
    this.#options.speculator?.learn(report);
    return report;
  }

  #retireCancelled(): void {
    if (this.#cancelled.size === 0) return;
    const cancelled = new Set(this.#cancelled);
    this.#cancelled.clear();
    const left = this.#waiting.filter(({ prepared }) => cancelled.has(prepared.id));
    this.#waiting = this.#waiting.filter(({ prepared }) => !cancelled.has(prepared.id));
    for (const { emit } of left) emit({ type: "cancelled" });
    for (const generation of [...this.#running]) {
      if (!cancelled.has(generation.id)) continue;
      this.#release(generation);
      generation.end({ type: "cancelled" });
    }
  }

  async #admit(): Promise<void> {
    for (const next of [...this.#waiting]) {
      const { prepared, emit } = next;
      const admission = await this.#lease(prepared).catch(toClientError);
      if (admission === "full") break;
      if (admission === "later") continue;
      this.#waiting = this.#waiting.filter((waiting) => waiting !== next);
      if (admission instanceof Error) emit({ type: "failed", error: admission });
      else this.#begin({ ...admission, prepared, emit });
    }
    if (this.#pool.isUsable) return;
    for (const { emit } of this.#waiting) {
      emit({ type: "failed", error: toClientError(new Error("no usable sequence is left")) });
    }
    this.#waiting = [];
  }

  async #lease({ promptTokens }: PreparedGeneration) {
    const leased = await this.#pool.lease(promptTokens);
    return typeof leased === "string" ? leased : { ...leased, admitted: ++this.#admissions };
  }

  #begin(admission: Admission): void {
    try {
      this.#running.add(this.#options.begin(admission));
    } catch (error) {
      this.#pool.abandon(admission.lease);
      admission.emit({ type: "failed", error: toClientError(error) });
    }
  }

  #plan(): PlannedStep[] {
    const running = new Map([...this.#running].map((one) => [one.lease.sequenceId, one]));
    const candidates = [...this.#running].map(({ lease, promptTokensLeft, admitted }) => ({
      sequenceId: lease.sequenceId,
      promptTokensLeft,
      tokensToCheckpoint: this.#pool.tokensToCheckpoint(lease),
      admitted,
    }));
    return this.#planner.plan(candidates).flatMap((item) => {
      const generation = running.get(item.sequenceId);
      return generation === undefined ? [] : [{ ...item, generation }];
    });
  }

  /** What decoding generations may say next, by sequence; nothing while prompts are evaluated. */
  async #draft(planned: readonly PlannedStep[]): Promise<ReadonlyMap<number, Draft>> {
    const { speculator } = this.#options;
    const idle = speculator === undefined || planned.length === 0;
    if (idle || planned.some(({ kind }) => kind === "prefill")) return new Map();
    return speculator.draft(planned.map(({ generation }) => generation));
  }

  /** Runs the batch; its failure is that of all generations in it. */
  async #evaluate(work: readonly StepWork[]): Promise<readonly (readonly Logits[])[] | undefined> {
    if (work.length === 0) return undefined;
    try {
      const logits = await this.#options.context.evaluate(work.map(({ part }) => part));
      for (const { generation, part } of work) {
        this.#pool.hold(generation.lease, part.tokens);
        if (generation.promptTokensLeft === 0) this.#pool.endPrefill(generation.lease);
      }
      for (const { generation } of work) await this.#pool.saveCheckpoint(generation.lease);
      return logits;
    } catch (error) {
      for (const { generation } of work) this.#fail(generation, error);
      return undefined;
    }
  }

  /** Draws a generation's next tokens, as many as its draft foresaw and one; a failure is its own. */
  async #draw({ generation, draft, part }: StepWork, logits: readonly Logits[]): Promise<void> {
    const proposed = draft?.tokens ?? [];
    try {
      for (const [index, handle] of logits.entries()) {
        const token = await generation.sampler.sample(handle);
        const reason = generation.accept(token);
        if (reason === undefined && token === proposed[index]) continue;
        if (draft !== undefined) {
          const { source } = draft;
          this.#options.speculator?.verified(generation, {
            source,
            proposed: proposed.length,
            accepted: index,
          });
          this.#pool.cut(generation.lease, part.position + index + 1);
        }
        if (reason === undefined) return;
        this.#release(generation);
        generation.finish(reason);
        return;
      }
    } catch (error) {
      this.#fail(generation, error);
    }
  }

  /** Returns the sequence with its tokens still cached. */
  #release(generation: RunningGeneration): void {
    this.#running.delete(generation);
    this.#pool.release(generation.lease);
  }

  #fail(generation: RunningGeneration, error: unknown): void {
    this.#running.delete(generation);
    this.#pool.abandon(generation.lease);
    generation.end({ type: "failed", error: toClientError(error) });
  }
}
