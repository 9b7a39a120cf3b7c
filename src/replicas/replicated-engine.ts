import assert from "node:assert/strict";
import type { AdapterChange, LoadedAdapter } from "../core/adapters.js";
import { MAX_CRASHES } from "../core/crash-blame.js";
import type { EmitGeneration, Engine, EngineDescription } from "../core/engine.js";
import { type EngineStatistics, sumStatistics } from "../core/engine-statistics.js";
import {
  createEngineExitedError,
  createRefusal,
  isEngineExit,
  toClientError,
} from "../core/errors.js";
import { type GenerationEvent, isFinal } from "../core/generation-event.js";
import type {
  GenerationRequest,
  GenerationStart,
  PreparedRequest,
} from "../core/generation-request.js";
import type { ReplicaState } from "../core/replicas.js";
import type { EngineSlot, SlotCommand, SlotOutcome } from "../core/slot-command.js";
import { sumBy } from "../core/sum-by.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import { chooseReplica } from "./choose-replica.js";
import { HeldRequest } from "./held-request.js";
import { type BlockHashes, hashAnswer } from "./prompt-hashes.js";
import type { Replica } from "./replica.js";
import { describeLoad } from "./replica-load.js";
import { ReplicaSet, type ReplicaSetOptions } from "./replica-set.js";
import { type Suspect, Suspects } from "./suspects.js";

/** Callbacks of the owner of a replicated engine, as of an engine that restarts. */
export interface ReplicationListener {
  /** The last running replica has exited: all requests fail until `onRestored`. */
  readonly onCrash: () => void;
  /** A replica has exited and others are running. */
  readonly onReplicaCrash: () => void;
  readonly onRestored: () => void;
  /** No replica is running, and the restart of one has failed; another attempt follows. */
  readonly onRestartFailed: (error: unknown) => void;
}

export interface ReplicatedEngineOptions<Description extends EngineDescription>
  extends ReplicaSetOptions<Description>,
    ReplicationListener {}

/** The queue in front of the replicas. */
export interface ReplicaQueue {
  /** A replica has exited and others are running: its generations are to run again at once. */
  noteCrash(): void;
  /** @param generations maximum number of generations to start */
  resize(generations: number): void;
}

/** A generation from its start to its last event. */
interface Run {
  readonly generation: GenerationStart;
  readonly emit: EmitGeneration;
  readonly heldRequest: HeldRequest;
  readonly answer: BlockHashes;
  /** Present if the generation is suspected of crashing engines. */
  suspect?: Suspect;
  /** Absent: a suspect that waits for a replica. */
  place?: RunPlace;
}

interface RunPlace {
  readonly replica: Replica;
  /** Value of {@link Replica.crashes} when the generation was placed. */
  readonly crashes: number;
  /** Prompt tokens that were expected to be evaluated. */
  readonly pendingTokens: number;
  isStarted: boolean;
}

/**
 * Several engines of one model, its replicas, as one engine. A generation is placed when it starts,
 * by {@link chooseReplica}; a request that another replica has prepared is then prepared again. If a
 * replica crashes, its generations fail like those of any engine, and the queue starts them again
 * in another one.
 */
export class ReplicatedEngine<Description extends EngineDescription> implements Engine {
  readonly #replicas: ReplicaSet<Description>;
  readonly #suspects: Suspects;
  readonly #requests = new Map<string, HeldRequest>();
  readonly #runs = new Map<string, Run>();
  #queue: ReplicaQueue | undefined;
  /** Number of generations that have been placed. */
  #placements = 0;
  #isCapacityCurrent = true;

  private constructor(options: ReplicatedEngineOptions<Description>) {
    this.#replicas = new ReplicaSet(options, {
      onCrash: (running) => {
        if (running === "none") {
          options.onCrash();
          return;
        }
        options.onReplicaCrash();
        this.#queue?.noteCrash();
      },
      onRestored: options.onRestored,
      onRestartFailed: options.onRestartFailed,
      onChange: () => this.#handleChange(),
    });
    this.#suspects = new Suspects({
      replicas: this.#replicas.all,
      onChange: () => this.#updateCapacity(),
    });
  }

  /**
   * Starts the first replica; the others start in the background ({@link ReplicaSet.start}).
   * @throws {StartupError} if the first one cannot be started
   */
  static async start<Description extends EngineDescription>(
    options: ReplicatedEngineOptions<Description>,
  ): Promise<ReplicatedEngine<Description>> {
    const engine = new ReplicatedEngine(options);
    await engine.#replicas.start();
    return engine;
  }

  /** Sets the queue, which is notified from now on. */
  follow(queue: ReplicaQueue): void {
    this.#queue = queue;
    this.#updateCapacity();
  }

  get description(): Description {
    return this.#replicas.description;
  }

  get statistics(): EngineStatistics | undefined {
    const parts = this.#replicas.all.flatMap((replica) => replica.readStatistics() ?? []);
    return parts.length === 0 ? undefined : sumStatistics(parts);
  }

  get replicas(): readonly ReplicaState[] {
    return this.#replicas.all.map((replica) => ({
      ...replica.toState(this.description),
      slots: this.#replicas.countSlots(replica),
    }));
  }

  async prepare(request: GenerationRequest): Promise<PreparedRequest> {
    const heldRequest = this.#requests.get(request.id) ?? new HeldRequest(request);
    this.#requests.set(request.id, heldRequest);
    const replica = heldRequest.findHolder() ?? this.#choose(heldRequest);
    if (replica === undefined) throw createEngineExitedError();
    const { crashes } = replica;
    try {
      return await this.#prepareIn(replica, heldRequest);
    } catch (error) {
      if (isEngineExit(error)) heldRequest.noteCrash(replica, crashes);
      throw error;
    }
  }

  release(requestId: string): void {
    this.#requests.get(requestId)?.release();
    this.#requests.delete(requestId);
  }

  start(generation: GenerationStart, emit: EmitGeneration): void {
    const { id, requestId } = generation;
    const heldRequest = this.#requests.get(requestId);
    assert(heldRequest !== undefined, `${requestId} is not held`);
    assert(!this.#runs.has(id), `generation ${id} is already running`);
    const { request, hashes } = heldRequest;
    const run: Run = { generation, emit, heldRequest, answer: hashAnswer(request.prompt, hashes) };
    this.#runs.set(id, run);
    heldRequest.startingGenerations++;
    if (heldRequest.crashes >= MAX_CRASHES - 1) this.#isolate(run);
    else this.#place(run, this.#choose(heldRequest, generation.class));
  }

  cancel(id: string): void {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    if (run.place?.isStarted === true) run.place.replica.engine.cancel(id);
    else this.#endSoon(run, { type: "cancelled" });
  }

  async endReasoning(id: string): Promise<boolean> {
    const place = this.#runs.get(id)?.place;
    return place?.isStarted === true && place.replica.engine.endReasoning(id);
  }

  ask(question: TextQuestion): Promise<TextAnswer> {
    const [first] = this.#replicas.running.toSorted((a, b) => a.generations - b.generations);
    return first === undefined
      ? Promise.reject(createEngineExitedError())
      : first.engine.ask(question);
  }

  /** The slots of all replicas; those of a replica that is not running are idle. */
  async slots(): Promise<readonly EngineSlot[]> {
    if (this.#replicas.running.length === 0) throw createEngineExitedError();
    const lists = this.#replicas.all.map(async (replica) => {
      const slots = await this.#listSlots(replica);
      return slots.map((slot) => ({ ...slot, replica: replica.index }));
    });
    return (await Promise.all(lists)).flat();
  }

  command(command: SlotCommand): Promise<SlotOutcome> {
    const { slot } = command;
    const replica = this.#findBySlot(slot);
    if (replica === undefined) {
      const slots = sumBy(this.#replicas.all, (one) => this.#replicas.countSlots(one));
      const reason = `expected a slot from 0 to ${slots - 1}, got ${slot}`;
      return Promise.reject(createRefusal("invalid_request", [{ field: "id", reason }]));
    }
    if (!replica.isRunning) return Promise.reject(createEngineExitedError());
    return replica.engine.command({
      ...command,
      slot: slot - this.#replicas.findFirstSlot(replica),
    });
  }

  limitThreads(limit: number | undefined): void {
    this.#replicas.limitThreads(limit);
  }

  adapt(change: AdapterChange): Promise<readonly LoadedAdapter[]> {
    return this.#replicas.adapt(change);
  }

  close(): Promise<void> {
    this.#suspects.close();
    return this.#replicas.close();
  }

  async #listSlots(replica: Replica): Promise<readonly EngineSlot[]> {
    try {
      if (replica.isRunning) return await replica.engine.slots();
    } catch (error) {
      if (!isEngineExit(error)) throw error;
    }
    return Array.from({ length: this.#replicas.countSlots(replica) }, () => ({ heldTokens: 0 }));
  }

  #findBySlot(slot: number): Replica<Description> | undefined {
    return this.#replicas.all.find((replica) => {
      const local = slot - this.#replicas.findFirstSlot(replica);
      return local >= 0 && local < this.#replicas.countSlots(replica);
    });
  }

  /** @returns `undefined` if no replica is running */
  #choose(heldRequest: HeldRequest, requestClass?: GenerationStart["class"]): Replica | undefined {
    const { slot } = heldRequest.request;
    const named = slot === undefined ? undefined : this.#findBySlot(slot);
    if (named !== undefined && this.#suspects.availabilityOf(named) === "open") return named;
    const { all, defaultAdapters } = this.#replicas;
    const loads = all.map((replica) =>
      describeLoad(replica, heldRequest, {
        availability: this.#suspects.availabilityOf(replica),
        defaultAdapters,
        requestClass,
      }),
    );
    const index = chooseReplica(heldRequest.promptTokens, loads);
    return index === undefined ? undefined : all[index];
  }

  #prepareIn(replica: Replica, heldRequest: HeldRequest): Promise<PreparedRequest> {
    const { slot } = heldRequest.request;
    const isNamed = slot !== undefined && this.#findBySlot(slot) === replica;
    const firstSlot = this.#replicas.findFirstSlot(replica);
    return heldRequest.prepareIn(replica, isNamed ? slot - firstSlot : undefined);
  }

  #isolate(run: Run): void {
    const suspect: Suspect = {
      place: (replica) =>
        this.#place(run, replica ?? this.#choose(run.heldRequest, run.generation.class)),
    };
    run.suspect = suspect;
    this.#suspects.add(suspect);
    this.#updateCapacity();
  }

  /** @param replica `undefined`: none is running */
  #place(run: Run, replica: Replica | undefined): void {
    if (replica === undefined) {
      this.#endSoon(run, { type: "failed", error: createEngineExitedError() });
      return;
    }
    const { heldRequest, generation } = run;
    const { promptTokens, hashes, tokensPerBlock } = heldRequest;
    const pendingTokens = promptTokens - heldRequest.estimateCachedTokens(replica);
    const place = { replica, crashes: replica.crashes, pendingTokens, isStarted: false };
    run.place = place;
    replica.enter(generation, pendingTokens);
    replica.lastUsed = ++this.#placements;
    // The replica will have the prompt before another one can be evaluated there.
    replica.cached.add(hashes.complete, tokensPerBlock);
    this.#updateCapacity();
    void this.#begin(run, place);
  }

  /** Prepares the request in the replica, if necessary, and starts the generation. Never rejects. */
  async #begin(run: Run, place: RunPlace): Promise<void> {
    const { generation, heldRequest } = run;
    const { replica, crashes } = place;
    try {
      await this.#prepareIn(replica, heldRequest);
      if (replica.crashes !== crashes) throw createEngineExitedError();
    } catch (error) {
      if (this.#isCurrent(run)) this.#end(run, { type: "failed", error: toClientError(error) });
      return;
    }
    if (!this.#isCurrent(run)) return;
    place.isStarted = true;
    replica.engine.start(generation, (event, tokens) => this.#receive(run, place, event, tokens));
    if ((heldRequest.request.choices ?? 1) === 1) heldRequest.dropExceptIn(replica);
    heldRequest.startingGenerations--;
    heldRequest.releaseUnused();
  }

  /** Whether the generation was neither cancelled nor ended meanwhile. */
  #isCurrent(run: Run): boolean {
    return this.#runs.get(run.generation.id) === run;
  }

  #receive(
    run: Run,
    { replica, pendingTokens }: RunPlace,
    event: GenerationEvent,
    tokens: readonly number[] | undefined,
  ): void {
    const { id } = run.generation;
    if (isFinal(event)) {
      if (event.type === "finished") this.#noteAnswer(run, replica, event, pendingTokens);
      this.#end(run, event, tokens);
      return;
    }
    if (event.type !== "prompt-progress" && event.type !== "prompt-scores") replica.notePrompt(id);
    if (event.type === "text-delta") run.answer.add(event.text);
    run.emit(event, tokens);
  }

  #noteAnswer(
    { heldRequest, answer }: Run,
    replica: Replica,
    { usage, timings }: Extract<GenerationEvent, { type: "finished" }>,
    pendingTokens: number,
  ): void {
    const { hashes, tokensPerBlock } = heldRequest;
    replica.cached.add([...hashes.complete, ...answer.complete], tokensPerBlock);
    // The reported number of cached tokens is limited to tokens that the request's key may know of.
    const evaluatedTokens = Math.min(pendingTokens, usage.promptTokens - usage.cachedTokens);
    replica.learn(timings, evaluatedTokens);
    heldRequest.noteAnswer();
  }

  /** Ends a generation that is not in a replica, but not before `start` has returned. */
  #endSoon(run: Run, event: GenerationEvent): void {
    this.#leave(run);
    queueMicrotask(() => run.emit(event));
  }

  #end(run: Run, event: GenerationEvent, tokens?: readonly number[]): void {
    if (event.type === "failed" && isEngineExit(event.error) && run.place !== undefined) {
      run.heldRequest.noteCrash(run.place.replica, run.place.crashes);
    }
    this.#leave(run);
    const isLocalSlot = event.type === "finished" && event.slot !== undefined && run.place;
    run.emit(
      isLocalSlot
        ? { ...event, slot: event.slot + this.#replicas.findFirstSlot(isLocalSlot.replica) }
        : event,
      tokens,
    );
  }

  #leave(run: Run): void {
    const { generation, heldRequest, suspect, place } = run;
    this.#runs.delete(generation.id);
    place?.replica.leave(generation.id);
    if (place?.isStarted !== true) {
      heldRequest.startingGenerations--;
      heldRequest.releaseUnused();
    }
    if (suspect !== undefined) this.#suspects.remove(suspect);
    this.#handleChange();
  }

  /** The replicas or their generations have changed. */
  #handleChange(): void {
    this.#suspects.update();
    this.#updateCapacity();
  }

  /** Notifies the queue in the next microtask: it may be starting a generation. */
  #updateCapacity(): void {
    if (!this.#isCapacityCurrent) return;
    this.#isCapacityCurrent = false;
    queueMicrotask(() => {
      this.#isCapacityCurrent = true;
      if (this.#replicas.running.length > 0) this.#queue?.resize(this.#countCapacity());
    });
  }

  /**
   * Returns how many generations the queue may have started at the same time: one for each slot,
   * and one for each generation that waits in a replica without a slot, which would otherwise block
   * free slots of other replicas.
   */
  #countCapacity(): number {
    const placed = sumBy(this.#replicas.running, (replica) => {
      const { generations } = replica.workAheadOf(undefined);
      const { description } = replica;
      const isOpen = this.#suspects.availabilityOf(replica) === "open";
      return isOpen ? Math.max(generations, description?.slots ?? 0) : generations;
    });
    return Math.max(1, placed + this.#suspects.waiting);
  }
}
