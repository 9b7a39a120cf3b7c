import { type GgufdError, toClientError } from "../../core/errors.js";
import { type GenerationEvent, isFinal } from "../../core/generation-event.js";
import type { PreparedGeneration } from "../../core/generation-request.js";
import type { Logits, TokenContext } from "../llama/token-context.js";
import { SequencePool } from "../prefix-cache/sequence-pool.js";
import type { Lease } from "../prefix-cache/sequence-records.js";
import type { StateStore } from "../prefix-cache/state-store.js";
import type { Draft } from "../speculation/generation-drafts.js";
import type { Speculator } from "../speculation/speculator.js";
import type { RunningGeneration } from "./running-generation.js";
import { type PlannedStep, type StepWork, toStepWork } from "./step-plan.js";
import { StepPlanner } from "./step-planner.js";
import { NO_STEP, reportStep, type StepReport } from "./step-report.js";

type Emit = (event: GenerationEvent) => void;

/** `generation`: one of them; `batch`: all in a batch; `step`: all, waiting ones included. */
export type FailureScope = "generation" | "batch" | "step";

/** A generation that waits for a sequence. */
interface Waiting {
  readonly prepared: PreparedGeneration;
  readonly emit: Emit;
}

/** A generation that has got a sequence. */
export interface Admission extends Waiting {
  readonly lease: Lease;
  /** Order of admission. */
  readonly admitted: number;
  readonly cachedTokens: number;
}

export interface StepLoopOptions {
  readonly context: TokenContext;
  /** Keeps states whose sequence is needed for another prompt. */
  readonly store?: StateStore | undefined;
  readonly begin: (admission: Admission) => RunningGeneration;
  /** Target inter-token latency while prompts are evaluated, in milliseconds. */
  readonly itlTargetMs: number;
  /** Proposes drafts; absent: every step yields one token per generation. */
  readonly speculator?: Speculator | undefined;
  /** Called after each step, when all its events have been emitted. */
  readonly onStepEnd: (report: StepReport) => void;
  /** Called with every error that ends a generation; `scope` says how many it ends. */
  readonly onFailure: (error: unknown, scope: FailureScope) => void;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/**
 * Lockstep continuous batching. One step admits waiting generations, advances every running one by
 * one token or one slice of its prompt in a single native batch, and retires those that have ended.
 * Cancellation takes effect between steps. A generation returns its sequence, with the tokens still
 * cached, in the step that retires it.
 */
export class StepLoop {
  readonly #options: StepLoopOptions;
  readonly #pool: SequencePool;
  readonly #planner: StepPlanner;
  readonly #running = new Set<RunningGeneration>();
  /** Ids of all generations that have been started and have not ended. */
  readonly #inFlight = new Set<string>();
  /** Those of them that end before the next step. */
  readonly #cancelled = new Set<string>();
  #waiting: Waiting[] = [];
  #admissions = 0;
  #loop: Promise<void> | undefined;

  constructor(options: StepLoopOptions) {
    this.#options = options;
    const { itlTargetMs, context, store, now } = options;
    this.#planner = new StepPlanner({ itlTargetMs, batchSize: context.batchSize, now });
    this.#pool = new SequencePool(context, store, () => this.#planner.msPerPrefillToken);
  }

  /** Queues a generation; it begins in the first step with a sequence for it. */
  start(prepared: PreparedGeneration, emit: Emit): void {
    const { id } = prepared;
    this.#inFlight.add(id);
    const emitAndUntrack = (event: GenerationEvent) => {
      if (isFinal(event)) {
        this.#inFlight.delete(id);
        this.#cancelled.delete(id);
      }
      emit(event);
    };
    this.#waiting.push({ prepared, emit: emitAndUntrack });
    this.#loop ??= this.#run();
  }

  /** Ends a generation before the next step; unknown ids are ignored. */
  cancel(id: string): void {
    if (this.#inFlight.has(id)) this.#cancelled.add(id);
  }

  /** Cancels everything, waits for the last step and saves the cached states. */
  async close(): Promise<void> {
    for (const id of this.#inFlight) this.#cancelled.add(id);
    await this.#loop;
    await this.#pool.saveAll();
  }

  async #run(): Promise<void> {
    // The contract of `start`: nothing is emitted before it has returned.
    await Promise.resolve();
    while (this.#waiting.length > 0 || this.#running.size > 0) {
      const report = await this.#step().catch((error) => this.#failAll(error));
      this.#options.onStepEnd(report);
    }
    // In the same tick as the check above: a start in between would never be run.
    this.#loop = undefined;
  }

  /** A step failed beyond one generation or batch: every generation ends with the error. */
  #failAll(error: unknown): StepReport {
    this.#options.onFailure(error, "step");
    for (const generation of [...this.#running]) this.#abandon(generation, error);
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
    const beforeDrafting = now();
    const planned = this.#plan();
    const drafts = await this.#draft(planned);
    const beforeBatch = now();
    const work = planned.map((item) => toStepWork(item, drafts));
    const logits = await this.#evaluate(work);
    const beforeCheckpoints = now();
    if (logits !== undefined) await this.#saveCheckpoints(work);
    const beforeSampling = now();
    await Promise.all(work.map((item, index) => this.#sample(item, logits?.[index] ?? [])));
    const ended = now();
    const report = reportStep(
      work,
      {
        stateMs: beforeDrafting - begun + (beforeSampling - beforeCheckpoints),
        draftMs: beforeBatch - beforeDrafting,
        evaluateMs: beforeCheckpoints - beforeBatch,
        sampleMs: ended - beforeSampling,
        totalMs: now() - begun,
      },
      this.#options.context.batchSize,
    );
    if (logits === undefined) return report;
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
      const admission = await this.#acquire(prepared).catch((error) => this.#refuse(error));
      if (admission === "full") break;
      if (admission === "later") continue;
      this.#waiting = this.#waiting.filter((waiting) => waiting !== next);
      if (admission instanceof Error) emit({ type: "failed", error: admission });
      else this.#begin({ ...admission, prepared, emit });
    }
    if (this.#pool.isUsable) return;
    const error = this.#refuse(new Error("no usable sequence is left"));
    for (const { emit } of this.#waiting) emit({ type: "failed", error });
    this.#waiting = [];
  }

  async #acquire({ promptTokens }: PreparedGeneration) {
    const placed = await this.#pool.acquire(promptTokens);
    return typeof placed === "string" ? placed : { ...placed, admitted: ++this.#admissions };
  }

  #refuse(error: unknown): GgufdError {
    this.#options.onFailure(error, "generation");
    return toClientError(error);
  }

  #begin(admission: Admission): void {
    try {
      this.#running.add(this.#options.begin(admission));
    } catch (error) {
      this.#pool.abandon(admission.lease);
      admission.emit({ type: "failed", error: this.#refuse(error) });
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

  /** Drafts for decoding generations, by sequence; none while prompts are evaluated. */
  async #draft(planned: readonly PlannedStep[]): Promise<ReadonlyMap<number, Draft>> {
    const { speculator } = this.#options;
    const idle = speculator === undefined || planned.length === 0;
    if (idle || planned.some(({ kind }) => kind === "prefill")) return new Map();
    return speculator.draft(planned.map(({ generation }) => generation));
  }

  /** Evaluates the batch; its failure fails all generations in it. */
  async #evaluate(work: readonly StepWork[]): Promise<readonly (readonly Logits[])[] | undefined> {
    if (work.length === 0) return undefined;
    try {
      const logits = await this.#options.context.evaluate(work.map(({ part }) => part));
      for (const { generation, part } of work) {
        this.#pool.append(generation.lease, part.tokens);
        if (generation.promptTokensLeft === 0) this.#pool.endPrefill(generation.lease);
      }
      return logits;
    } catch (error) {
      this.#options.onFailure(error, "batch");
      for (const { generation } of work) this.#abandon(generation, error);
      return undefined;
    }
  }

  /** Saves states that have reached a checkpoint, before their sequences go on. */
  async #saveCheckpoints(work: readonly StepWork[]): Promise<void> {
    for (const { generation } of work) await this.#pool.saveCheckpoint(generation.lease);
  }

  /**
   * Samples a generation's next tokens: the accepted part of its draft and one more. A failure fails
   * this generation only.
   */
  async #sample({ generation, draft, part }: StepWork, logits: readonly Logits[]): Promise<void> {
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
          this.#pool.truncate(generation.lease, part.position + index + 1);
        }
        if (reason === undefined) return;
        this.#release(generation);
        generation.finish(reason);
        return;
      }
    } catch (error) {
      this.#options.onFailure(error, "generation");
      this.#abandon(generation, error);
    }
  }

  /** Returns the sequence with its tokens still cached. */
  #release(generation: RunningGeneration): void {
    this.#running.delete(generation);
    this.#pool.release(generation.lease);
  }

  /** Ends a generation with an error; its sequence is emptied. */
  #abandon(generation: RunningGeneration, error: unknown): void {
    this.#running.delete(generation);
    this.#pool.abandon(generation.lease);
    generation.end({ type: "failed", error: toClientError(error) });
  }
}
