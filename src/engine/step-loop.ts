import { toClientError } from "../core/errors.js";
import { type GenerationEvent, isFinal } from "../core/generation-event.js";
import type { PreparedGeneration } from "../core/generation-request.js";
import type { RunningGeneration } from "./running-generation.js";
import type { Sequence } from "./sequence.js";
import { chooseSlot, type FreeSlot } from "./slot-choice.js";
import { planStep, type StepWork } from "./step-plan.js";

type Emit = (event: GenerationEvent) => void;

/** A generation that waits for a sequence. */
interface Waiting {
  readonly prepared: PreparedGeneration;
  readonly emit: Emit;
}

/** A sequence and when it was used last. */
interface Slot extends FreeSlot {
  readonly sequence: Sequence;
  lastUsed: number;
}

/** What it takes to begin a generation on a sequence. */
export interface Admission extends Waiting {
  readonly sequence: Sequence;
  readonly admitted: number;
  readonly cachedTokens: number;
}

export interface StepLoopOptions {
  readonly sequences: readonly Sequence[];
  /** Tokens that one native batch takes; at least one for each sequence. */
  readonly batchSize: number;
  readonly begin: (admission: Admission) => RunningGeneration;
  /** Called after each step, when all its events have been emitted. */
  readonly onStepEnd: () => void;
}

/**
 * The engine's heart: lockstep continuous batching. One step admits what waits, advances every
 * running generation by one token or one slice of its prompt in a single native batch, and retires
 * what has ended. Cancellation takes effect between steps. Each sequence is leased by one
 * generation at a time and returned, with its tokens still cached, in the step that retires it.
 */
export class StepLoop {
  readonly #batchSize: number;
  readonly #begin: (admission: Admission) => RunningGeneration;
  readonly #onStepEnd: () => void;
  readonly #free: Map<number, Slot>;
  readonly #leased = new Map<number, Slot>();
  /** By sequence id. */
  readonly #running = new Map<number, RunningGeneration>();
  /** Ids of what has been started and has not ended, wherever it is. */
  readonly #inFlight = new Set<string>();
  /** Those of them that end at the border of the current step. */
  readonly #cancelled = new Set<string>();
  #waiting: Waiting[] = [];
  #admissions = 0;
  #loop: Promise<void> | undefined;

  constructor({ sequences, batchSize, begin, onStepEnd }: StepLoopOptions) {
    this.#onStepEnd = onStepEnd;
    this.#batchSize = batchSize;
    this.#begin = begin;
    this.#free = new Map(sequences.map((sequence) => [sequence.id, createSlot(sequence)]));
  }

  /** Queues a generation; it begins in the next step that has a free sequence. */
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

  /** Cancels everything and waits for the last step. */
  async close(): Promise<void> {
    for (const id of this.#inFlight) this.#cancelled.add(id);
    await this.#loop;
  }

  async #run(): Promise<void> {
    // `start` promises not to emit before it has returned.
    await Promise.resolve();
    while (this.#waiting.length > 0 || this.#running.size > 0) {
      try {
        await this.#step();
      } catch (error) {
        this.#failAll(error);
      }
      this.#onStepEnd();
    }
    // In one go with the check above: a start in between would wait for ever.
    this.#loop = undefined;
  }

  /** A step failed beyond one generation: nobody is left hanging; the leased slots are lost. */
  #failAll(error: unknown): void {
    const failed: GenerationEvent = { type: "failed", error: toClientError(error) };
    for (const generation of this.#running.values()) generation.end(failed);
    for (const { emit } of this.#waiting) emit(failed);
    this.#running.clear();
    this.#waiting = [];
  }

  async #step(): Promise<void> {
    await this.#retireCancelled();
    await this.#admit();
    if (this.#running.size === 0 && this.#waiting.length > 0) {
      throw new Error("no usable sequence is left");
    }
    const candidates = [...this.#running.values()].map(
      ({ sequence, promptTokensLeft, admitted }) => ({
        sequenceId: sequence.id,
        promptTokensLeft,
        admitted,
      }),
    );
    const work = planStep(candidates, this.#batchSize);
    // All calls are made in one tick, so that they share a native batch.
    await Promise.all(work.map((item) => this.#advance(item)));
  }

  async #retireCancelled(): Promise<void> {
    if (this.#cancelled.size === 0) return;
    const cancelled = new Set(this.#cancelled);
    this.#cancelled.clear();
    const left = this.#waiting.filter(({ prepared }) => cancelled.has(prepared.id));
    this.#waiting = this.#waiting.filter(({ prepared }) => !cancelled.has(prepared.id));
    for (const { emit } of left) emit({ type: "cancelled" });
    for (const generation of [...this.#running.values()]) {
      if (!cancelled.has(generation.id)) continue;
      await this.#release(generation).catch(() => this.#abandon(generation.sequence));
      generation.end({ type: "cancelled" });
    }
  }

  async #admit(): Promise<void> {
    while (this.#free.size > 0) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      const slot = chooseSlot([...this.#free.values()], next.prepared.promptTokens);
      if (slot === undefined) return;
      await this.#lease(slot, next);
    }
  }

  async #lease(slot: Slot, { prepared, emit }: Waiting): Promise<void> {
    const { sequence } = slot;
    this.#free.delete(slot.id);
    this.#leased.set(slot.id, slot);
    const admitted = ++this.#admissions;
    slot.lastUsed = admitted;
    try {
      const cachedTokens = await sequence.reusePrefix(prepared.promptTokens);
      this.#running.set(slot.id, this.#begin({ prepared, emit, sequence, admitted, cachedTokens }));
    } catch (error) {
      await this.#abandon(sequence);
      emit({ type: "failed", error: toClientError(error) });
    }
  }

  async #advance(work: StepWork): Promise<void> {
    const generation = this.#running.get(work.sequenceId);
    if (generation === undefined) return;
    try {
      const token =
        work.kind === "decode"
          ? await generation.sequence.decode()
          : await generation.prefill(work.tokens);
      const reason = token === undefined ? undefined : generation.accept(token);
      if (reason === undefined) return;
      await this.#release(generation);
      generation.finish(reason);
    } catch (error) {
      await this.#abandon(generation.sequence);
      generation.end({ type: "failed", error: toClientError(error) });
    }
  }

  /** Returns the sequence with its tokens still cached. */
  async #release({ sequence }: RunningGeneration): Promise<void> {
    await sequence.endDecoding();
    this.#return(sequence);
  }

  /**
   * Returns the sequence emptied: after a failure its state cannot be trusted. One that cannot even
   * be emptied is lost. Never rejects: a failure stays with its own generation.
   */
  async #abandon(sequence: Sequence): Promise<void> {
    const emptied = await sequence.clear().then(
      () => true,
      () => false,
    );
    if (emptied) {
      this.#return(sequence);
    } else {
      this.#running.delete(sequence.id);
      this.#leased.delete(sequence.id);
    }
  }

  #return({ id }: Sequence): void {
    this.#running.delete(id);
    const slot = this.#leased.get(id);
    if (slot === undefined) return;
    this.#leased.delete(id);
    this.#free.set(id, slot);
  }
}

function createSlot(sequence: Sequence): Slot {
  return {
    sequence,
    id: sequence.id,
    lastUsed: 0,
    get heldTokens() {
      return sequence.heldTokens;
    },
  };
}
