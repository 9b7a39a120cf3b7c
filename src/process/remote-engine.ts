import assert from "node:assert/strict";
import type { AdapterChange, LoadedAdapter } from "../core/adapters.js";
import type { EmitGeneration, Engine } from "../core/engine.js";
import type { EngineStatistics } from "../core/engine-statistics.js";
import { createEngineExitedError } from "../core/errors.js";
import { isFinal } from "../core/generation-event.js";
import type {
  GenerationRequest,
  GenerationStart,
  PreparedRequest,
} from "../core/generation-request.js";
import type { EngineSlot, SlotCommand, SlotOutcome } from "../core/slot-command.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import type { LoadedEngineDescription } from "../engine/engine-description.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import {
  describePrepared,
  type PreparedGeneration,
} from "../engine/text/prompt/prepared-generation.js";
import { ModelProcess, type ModelProcessOptions } from "./model-process.js";
import type { EngineMethods, StatisticsMessage } from "./protocol.js";
import { toCallWork } from "./watchdog.js";

export type RemoteEngineOptions = ModelProcessOptions<
  EngineSettings,
  LoadedEngineDescription,
  StatisticsMessage
>;

/**
 * Calls watched for hangs, as they must be answered soon. Slot commands are exempt: they may wait
 * for a long generation.
 */
const WATCHED_CALLS = ["prepare", "divideMedia", "ask"] as const;

/** Proxy for an engine in another process, from start to exit of that process. */
export class RemoteEngine implements Engine {
  readonly #process: ModelProcess<
    EngineSettings,
    LoadedEngineDescription,
    EngineMethods,
    StatisticsMessage
  >;
  readonly #generations = new Map<string, EmitGeneration>();
  /** When the last generation ended, on the monotonic clock. */
  #idleSinceMs = performance.now();
  /**
   * Requests that a preparer has prepared; the engine's process receives each with its first
   * generation.
   */
  readonly #unsentRequests = new Map<string, PreparedGeneration>();
  /** Requests whose media the engine's process has chunked and holds. */
  readonly #mediaRequests = new Set<string>();
  #statistics: EngineStatistics | undefined;
  /** Adapters after the last change; `undefined`: the adapters that the engine was loaded with. */
  #adapters: readonly LoadedAdapter[] | undefined;

  private constructor(options: RemoteEngineOptions) {
    const { modelPath, draftModelPath } = options.settings;
    this.#process = new ModelProcess(options, {
      subject:
        draftModelPath === undefined
          ? `model ${modelPath}`
          : `model ${modelPath} or draft ${draftModelPath}`,
      onNotification: ({ statistics }) => {
        this.#statistics = statistics;
      },
      onEnd: () => this.#failAll(),
      work: (advances) => [
        { unit: "generation", inFlight: this.#generations.size, advance: "step", advances },
        toCallWork(this.#process.countWork(WATCHED_CALLS)),
      ],
    });
  }

  /**
   * Starts a process and loads the model in it.
   * @throws {StartupError} with the engine's own error message
   */
  static async start(options: RemoteEngineOptions): Promise<RemoteEngine> {
    const engine = new RemoteEngine(options);
    await engine.#process.loaded;
    return engine;
  }

  get description(): LoadedEngineDescription {
    return this.#process.description;
  }

  get statistics(): EngineStatistics | undefined {
    return this.isRunning ? this.#statistics : undefined;
  }

  /** Adapters that the engine has, or had when it exited. */
  get adapters(): readonly LoadedAdapter[] {
    return this.#adapters ?? this.description.adapters ?? [];
  }

  /** Whether the model is loaded and its process runs. */
  get isRunning(): boolean {
    return this.#process.isRunning;
  }

  /** Time since the last generation, in milliseconds; 0 while one is running. */
  get idleMs(): number {
    return this.#generations.size > 0 ? 0 : performance.now() - this.#idleSinceMs;
  }

  prepare(request: GenerationRequest): Promise<PreparedRequest> {
    return this.#process.call("prepare", request);
  }

  /** Chunks a request's media; the engine's process holds them until {@link release}. */
  divideMedia(request: GenerationRequest): Promise<GenerationRequest> {
    this.#mediaRequests.add(request.id);
    return this.#process.call("divideMedia", request);
  }

  /**
   * Takes a request that a preparer has prepared. The engine's process receives it with its first
   * generation, because some prepared requests never start.
   */
  hold(prepared: PreparedGeneration): PreparedRequest {
    this.#unsentRequests.set(prepared.id, prepared);
    return describePrepared(prepared);
  }

  release(requestId: string): void {
    const wasUnsent = this.#unsentRequests.delete(requestId);
    const hasMedia = this.#mediaRequests.delete(requestId);
    if (!wasUnsent || hasMedia) this.#process.notify("release", requestId);
  }

  ask(question: TextQuestion): Promise<TextAnswer> {
    return this.#process.call("ask", question);
  }

  slots(): Promise<readonly EngineSlot[]> {
    return this.#process.call("slots");
  }

  command(command: SlotCommand): Promise<SlotOutcome> {
    return this.#process.call("command", command);
  }

  async adapt(change: AdapterChange): Promise<readonly LoadedAdapter[]> {
    this.#adapters = await this.#process.call("adapt", change);
    return this.#adapters;
  }

  start(generation: GenerationStart, emit: EmitGeneration): void {
    if (!this.isRunning) {
      queueMicrotask(() => emit({ type: "failed", error: createEngineExitedError() }));
      return;
    }
    const { id, requestId } = generation;
    assert(!this.#generations.has(id), `generation ${id} is already running`);
    this.#generations.set(id, emit);
    const prepared = this.#unsentRequests.get(requestId);
    if (prepared !== undefined) {
      this.#unsentRequests.delete(requestId);
      this.#process.notify("hold", prepared);
    }
    const stopListening = this.#process.listen("start", generation, (event, tokens) => {
      if (isFinal(event)) {
        stopListening();
        this.#generations.delete(id);
        this.#idleSinceMs = performance.now();
      }
      emit(event, tokens);
    });
  }

  cancel(id: string): void {
    if (this.#generations.has(id)) this.#process.notify("cancel", id);
  }

  async endReasoning(id: string): Promise<boolean> {
    return this.#generations.has(id) && this.#process.call("endReasoning", id);
  }

  limitThreads(limit: number | undefined): void {
    this.#process.notify("limitThreads", limit);
  }

  close(): Promise<void> {
    return this.#process.close();
  }

  /** Emits one last event for each generation. */
  #failAll(): void {
    const generations = [...this.#generations.values()];
    this.#generations.clear();
    this.#unsentRequests.clear();
    this.#mediaRequests.clear();
    for (const emit of generations) emit({ type: "failed", error: createEngineExitedError() });
  }
}
