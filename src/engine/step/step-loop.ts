import assert from "node:assert/strict";
import type { EmitGeneration } from "../../core/engine.js";
import { createShutdownError, toClientError } from "../../core/errors.js";
import { isFinal } from "../../core/generation-event.js";
import type { EngineSlot, SlotCommand, SlotOutcome } from "../../core/slot-command.js";
import { SequencePool, type SequencePoolCounters } from "../cache/sequence-pool.js";
import type { Draft } from "../drafts/generation-drafts.js";
import { BatchAborted, type NextBatch } from "../native/token-context.js";
import type { PreparedGeneration } from "../text/prompt/prepared-generation.js";
import { isWorthAborting, isWorthYielding, listSlices, splitAbortedWork } from "./aborted-batch.js";
import { AdapterTurns } from "./adapter-turns.js";
import { MediaTurns } from "./media-turns.js";
import { type PlannedShare, planShares } from "./plan-shares.js";
import { RunningGenerations } from "./running-generations.js";
import {
  applySampling,
  prepareDrafts,
  type SamplingParts,
  sampleStep,
  toWork,
} from "./sample-step.js";
import { SequenceAdmission } from "./sequence-admission.js";
import { type LateEnding, settleStep, type TokenEndings } from "./settle-step.js";
import { listSlots, SlotCommands } from "./slot-commands.js";
import { StepClock } from "./step-clock.js";
import type { StepLoopOptions } from "./step-loop-options.js";
import type { Evaluation, StepWork } from "./step-plan.js";
import { StepPlanner } from "./step-planner.js";
import { NO_STEP, reportStep, type StepReport } from "./step-report.js";

/** Counters of the sequence pool, and the number of suspensions. */
export interface StepLoopCounters extends SequencePoolCounters {
  readonly suspensions: number;
}

/**
 * Lockstep continuous batching. One step admits waiting generations, advances the running ones by one token or a slice
 * of their prompts in a single native batch, and retires ended ones. Cancellation takes effect between
 * steps; it aborts the batch if most of its tokens are for cancelled generations. A generation returns its sequence,
 * with the tokens still cached, in the step that retires it.
 *
 * The text of a step is settled (decoded, searched for stop strings, parsed, emitted) while the native library
 * evaluates the next step, which depends on the tokens alone. A generation whose text turns out to have ended therefore
 * takes part in one step too many; the extra token is cut off.
 */
export class StepLoop {
  readonly #options: StepLoopOptions;
  readonly #pool: SequencePool;
  readonly #planner: StepPlanner;
  readonly #admission: SequenceAdmission;
  readonly #running: RunningGenerations;
  readonly #commands: SlotCommands;
  readonly #adapterTurns: AdapterTurns;
  readonly #mediaTurns: MediaTurns | undefined;
  /** Changes to carry out between two batches. */
  readonly #changes: (() => Promise<void>)[] = [];
  /** Ids of all generations that have been started and have not ended. */
  readonly #inFlightIds = new Set<string>();
  /** Ids of in-flight generations to be ended before the next step. */
  readonly #cancelledIds = new Set<string>();
  /** Work of the batch that is being evaluated. */
  #currentWork: readonly StepWork[] = [];
  /** Whether the current batch is aborted in favour of a shorter prompt. */
  #isPreempted = false;
  #unsettledStep: { readonly report: StepReport; readonly endings: TokenEndings } | undefined;
  #loop: Promise<void> | undefined;

  constructor(options: StepLoopOptions) {
    this.#options = options;
    const { itlTargetMs, context, store, now } = options;
    this.#planner = new StepPlanner({
      itlTargetMs,
      batchSize: context.batchSize,
      maxOutputs: context.maxOutputs,
      passTokens: context.passTokens,
      mixing: context.mixing,
    });
    this.#adapterTurns = new AdapterTurns(itlTargetMs);
    const msPerPrefillToken = () => this.#planner.msPerPrefillToken;
    const pool = new SequencePool({ context, store, msPerPrefillToken, now });
    const running = new RunningGenerations(pool, options);
    this.#mediaTurns =
      options.media && new MediaTurns({ context, pool, running, source: options.media, now });
    this.#commands = new SlotCommands({ states: pool.slotStates, files: options.slotFiles, now });
    this.#admission = new SequenceAdmission({ ...options, pool, running });
    this.#pool = pool;
    this.#running = running;
  }

  get counters(): StepLoopCounters {
    return { ...this.#pool.counters, suspensions: this.#admission.suspensions };
  }

  /** Whether no work is left. */
  get isIdle(): boolean {
    return this.#loop === undefined;
  }

  /** Queues a generation; it begins in the first step that has a sequence for it. */
  start(prepared: PreparedGeneration, emit: EmitGeneration): void {
    const { id } = prepared;
    assert(!this.#inFlightIds.has(id), `generation ${id} has already been started`);
    this.#inFlightIds.add(id);
    const emitAndUntrack: EmitGeneration = (event, tokens) => {
      if (isFinal(event)) {
        this.#inFlightIds.delete(id);
        this.#cancelledIds.delete(id);
      }
      emit(event, tokens);
    };
    this.#admission.add(prepared, emitAndUntrack);
    this.#options.context.hold();
    this.#preemptFor(prepared);
    this.#loop ??= this.#run();
  }

  /** Ends a generation before the next step; unknown ids are ignored. */
  cancel(id: string): void {
    if (!this.#inFlightIds.has(id)) return;
    this.#cancelledIds.add(id);
    this.#options.context.hold();
    if (isWorthAborting(this.#currentWork, this.#cancelledIds)) this.#options.context.abort();
  }

  /**
   * Aborts a batch of suspendable generations for an interactive one; and a long prompt-only batch if the new prompt is
   * shorter, may overtake and would otherwise wait for the end of the batch. The aborted slices continue later, after
   * the passes that were complete.
   */
  #preemptFor(prepared: PreparedGeneration): void {
    const yields = isWorthYielding(this.#currentWork, prepared, this.#options.batchSharing);
    const slices = this.#pool.hasIdle ? listSlices(this.#currentWork) : undefined;
    const { length } = prepared.promptTokens;
    if (!yields && !(slices && this.#planner.isWorthPreempting(slices, length))) return;
    this.#isPreempted = !yields;
    this.#currentWork = [];
    this.#options.context.abort();
  }

  /** See {@link listSlots}. */
  get slots(): readonly EngineSlot[] {
    return listSlots(this.#pool.slotStates, this.#running.all);
  }

  /** See {@link SlotCommands}. */
  queueCommand(command: SlotCommand): Promise<SlotOutcome> {
    const outcome = this.#commands.add(command);
    this.#options.context.hold();
    this.#loop ??= this.#run();
    return outcome;
  }

  /** Runs a change while no batch is evaluated. */
  runBetweenBatches(change: () => Promise<void>): Promise<void> {
    const completion = new Promise<void>((resolve, reject) => {
      this.#changes.push(() => change().then(resolve, reject));
    });
    this.#options.context.hold();
    this.#loop ??= this.#run();
    return completion;
  }

  /** Cancels all generations, waits for the last step and saves the cached states. */
  async close(): Promise<void> {
    for (const id of this.#inFlightIds) this.cancel(id);
    this.#commands.failAll(createShutdownError());
    await this.#loop;
    await this.#pool.saveAll();
  }

  async #run(): Promise<void> {
    // Contract of `start`: it returns before the first event is emitted.
    await Promise.resolve();
    do {
      while (this.#hasWork) {
        await this.#step().catch((error) => this.#failAll(error));
        // Without running generations, no batch follows during which the step could be settled.
        if (this.#running.size === 0) this.#returnSequences(this.#settle());
      }
      await this.#pool.saveAhead();
    } while (this.#hasWork);
    // Must happen in the same tick as the check above: a generation started in between would never run.
    this.#loop = undefined;
  }

  get #hasWork(): boolean {
    if (this.#changes.length > 0 || !this.#commands.isEmpty) return true;
    return !this.#admission.isEmpty || this.#running.size > 0;
  }

  /** Handles an error that affects more than one generation or batch: ends every generation with the error. */
  #failAll(error: unknown): void {
    this.#returnSequences(this.#settle());
    this.#options.onFailure(error, "step");
    for (const generation of this.#running.all) this.#running.abandon(generation, error);
    this.#admission.failAll(toClientError(error));
    this.#options.onStepEnd(NO_STEP);
  }

  async #step(): Promise<void> {
    if (this.#mediaTurns?.isDue) await this.#takeMediaTurn(this.#mediaTurns);
    const clock = new StepClock(this.#options.now);
    const work = await this.#schedule(clock);
    const evaluation = await this.#execute(work, clock);
    await this.#update(work, evaluation, clock);
  }

  /** Schedules the step: selects the generations that take part, and the tokens of their text and drafts. */
  async #schedule(clock: StepClock): Promise<readonly StepWork[]> {
    this.#retireCancelled();
    if (this.#admission.lacksCells) await this.#grow();
    if (!this.#commands.isEmpty) await this.#commands.carryOut();
    for (const change of this.#changes.splice(0)) await change();
    if (this.#admission.mayYield) this.#returnSequences(this.#settle());
    if (this.#admission.hasCandidates) await this.#admission.admit();
    if (!this.#admission.hasCandidates) await this.#pool.pack();
    clock.end("stateMs");
    const plannedShares = this.#plan();
    const drafts = await this.#draft(plannedShares);
    clock.end("draftMs");
    const parts = this.#samplingParts;
    const work = plannedShares.flatMap(({ generation, tokens }) => {
      const draft = drafts.get(generation.lease.sequenceId);
      return toWork(generation, tokens, draft, parts) ?? [];
    });
    const prepared = drafts.size === 0 ? work : await prepareDrafts(work, parts);
    clock.end("retractionMs");
    return prepared;
  }

  /** Runs a media turn before a step of tokens, and settles the previous step meanwhile. */
  async #takeMediaTurn(turns: MediaTurns): Promise<void> {
    const { all, size } = this.#running;
    const others = all.filter(({ tokensToMedia }) => tokensToMedia > 0);
    const decoding = others.filter(({ awaitedToken }) => awaitedToken === "next").length;
    const stepMs =
      decoding > 0 ? this.#planner.estimateDecodeMs(decoding) : this.#options.itlTargetMs;
    const turnMs = turns.nextTurn(others.length > 0 ? stepMs : undefined);
    if (turnMs === undefined) return;
    const clock = new StepClock(this.#options.now);
    const turn = turns.take(turnMs);
    const lateEndings = this.#settle();
    const cells = await turn;
    this.#returnSequences(lateEndings);
    clock.end("evaluateMs");
    const report = { ...NO_STEP, ...clock.times, generations: size, prefillTokens: cells };
    this.#options.onStepEnd(report);
  }

  /** Evaluates the batch, and settles the previous step meanwhile. */
  async #execute(work: readonly StepWork[], clock: StepClock): Promise<Evaluation> {
    const evaluation = await this.#evaluate(work);
    clock.end("evaluateMs");
    await this.#saveCheckpoints(evaluation.evaluatedWork);
    clock.end("stateMs");
    return evaluation;
  }

  /** Takes the tokens that were drawn, and updates the cost models with the step. */
  async #update(
    work: readonly StepWork[],
    { evaluatedWork, logits }: Evaluation,
    clock: StepClock,
  ): Promise<void> {
    const { speculator } = this.#options;
    const parts = this.#samplingParts;
    const sampled = await sampleStep(work, logits, parts);
    clock.end("sampleMs");
    const endings = await applySampling(work, sampled, parts);
    clock.end("retractionMs");
    const report = reportStep(evaluatedWork, clock.times);
    this.#unsettledStep = { report, endings };
    if (logits === undefined) return;
    this.#planner.learn(report);
    speculator?.learn(report);
  }

  get #samplingParts(): SamplingParts {
    const { context, speculator } = this.#options;
    return { context, pool: this.#pool, running: this.#running, speculator };
  }

  #retireCancelled(): void {
    if (this.#cancelledIds.size === 0) return;
    this.#returnSequences(this.#settle());
    const cancelled = new Set(this.#cancelledIds);
    this.#cancelledIds.clear();
    this.#admission.retire(cancelled);
    for (const generation of this.#running.all) {
      if (!cancelled.has(generation.id)) continue;
      this.#running.release(generation);
      generation.end({ type: "cancelled" });
    }
  }

  /**
   * Reserves cells for generations that need more. Settles the previous step first, because growing may suspend
   * generations, and the text of a suspended generation must be settled: it may have ended the generation.
   */
  async #grow(): Promise<void> {
    if (!this.#admission.lacksCells) return;
    this.#returnSequences(this.#settle());
    await this.#admission.grow();
  }

  #plan(): readonly PlannedShare[] {
    return planShares(this.#running.all, {
      tokensToCheckpoint: (lease) => this.#pool.tokensToCheckpoint(lease),
      adapterTurns: this.#adapterTurns,
      planner: this.#planner,
      nowMs: this.#options.now(),
    });
  }

  /** Drafts tokens for the generations of a step, by sequence id; none while prompts are evaluated. */
  async #draft(plannedShares: readonly PlannedShare[]): Promise<ReadonlyMap<number, Draft>> {
    const { speculator } = this.#options;
    const isDecoding = plannedShares.every(({ generation }) => generation.awaitedToken === "next");
    const canDraft = plannedShares.length > 0 && isDecoding && this.#pool.isReadyForDrafts;
    if (speculator === undefined || !canDraft) return new Map();
    const drafts = await speculator.draft(plannedShares.map(({ generation }) => generation));
    const tokens = [...drafts.values()].reduce((sum, draft) => sum + draft.tokens.length, 0);
    return (await this.#pool.makeRoom(tokens)) ? drafts : new Map();
  }

  /** Evaluates the batch. A failed batch fails all of its generations; an aborted one can be continued. */
  async #evaluate(work: readonly StepWork[]): Promise<Evaluation> {
    if (work.length === 0) {
      this.#returnSequences(this.#settle());
      return { evaluatedWork: [], logits: undefined };
    }
    const { context } = this.#options;
    this.#currentWork = work;
    this.#isPreempted = false;
    const [first] = work;
    if (first !== undefined) context.useAdapters(first.generation.adapters.adapters);
    const parts = work.map(({ part }) => part);
    const pendingLogits = context.evaluate(parts, this.#predictNextBatch(work));
    const lateEndings = this.#settle();
    try {
      const logits = await pendingLogits;
      this.#noteEvaluated(work);
      this.#returnSequences(lateEndings);
      return { evaluatedWork: work, logits };
    } catch (error) {
      if (error instanceof BatchAborted) {
        const { kept, lost } = splitAbortedWork(work, error.keptTokens);
        if (this.#isPreempted) this.#planner.notePreempted(lost);
        this.#noteEvaluated(kept);
        this.#returnSequences(lateEndings);
        return { evaluatedWork: kept, logits: undefined };
      }
      this.#options.onFailure(error, "batch");
      for (const { generation } of lateEndings) this.#pool.abandon(generation.lease);
      for (const { generation } of work) {
        if (this.#running.has(generation)) this.#running.abandon(generation, error);
      }
      return { evaluatedWork: [], logits: undefined };
    } finally {
      this.#currentWork = [];
    }
  }

  /** Records the tokens that the sequences hold now. */
  #noteEvaluated(work: readonly StepWork[]): void {
    for (const { generation, part } of work) {
      this.#pool.append(generation.lease, { type: "tokens", tokens: part.tokens });
      if (generation.uncomputedTokens === 0) this.#pool.endPrefill(generation.lease);
    }
  }

  /**
   * Returns whether the next batch continues the same sequences by one token each (`alike`). That requires that this
   * batch has no drafts: drafts depend on text that is not known yet, and generations without drafts in this step get
   * none in the next.
   */
  #predictNextBatch(work: readonly StepWork[]): NextBatch {
    const isWholeTurn = work.length === this.#running.size && !this.#admission.hasCandidates;
    const isDecoding = work.every(
      ({ generation, draft }) => generation.awaitedToken === "next" && !draft,
    );
    const isUndisturbed =
      this.#cancelledIds.size === 0 && this.#commands.isEmpty && this.#changes.length === 0;
    return isWholeTurn && isDecoding && isUndisturbed ? "alike" : "undecided";
  }

  /**
   * Settles the last step.
   * @returns the generations that ended by their text; their sequences stay in use until the current batch is evaluated
   */
  #settle(): readonly LateEnding[] {
    if (this.#unsettledStep === undefined) return [];
    const { report, endings } = this.#unsettledStep;
    this.#unsettledStep = undefined;
    const textEndings = settleStep(endings, (error) =>
      this.#options.onFailure(error, "generation"),
    );
    if (textEndings.length > 0) this.#options.context.hold();
    this.#options.onStepEnd(report);
    return textEndings.filter(({ generation }) => this.#running.remove(generation));
  }

  #returnSequences(lateEndings: readonly LateEnding[]): void {
    for (const { generation, state } of lateEndings) {
      if (state === "sound") this.#pool.release(generation.lease);
      else this.#pool.abandon(generation.lease);
    }
  }

  /** Saves the states of sequences that have reached a checkpoint, before the sequences continue. */
  async #saveCheckpoints(work: readonly StepWork[]): Promise<void> {
    if (this.#options.context.partialTruncation === "supported") return;
    for (const { generation } of work) {
      if (this.#running.has(generation)) await this.#pool.saveCheckpoint(generation.lease);
    }
  }
}
