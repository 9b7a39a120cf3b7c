import type { EmitGeneration, Engine, EngineDescription } from "../core/engine.js";
import type { EngineStatistics } from "../core/engine-statistics.js";
import { type GenerationEvent, isFinal } from "../core/generation-event.js";
import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import type { EngineSlot, SlotCommand, SlotOutcome } from "../core/slot-command.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import { engineLost } from "./engine-lost.js";
import { fromErrorRecord } from "./error-record.js";
import { callsOf } from "./hang-detector.js";
import { ModelProcess, type ModelProcessOptions } from "./model-process.js";
import type { EngineMethods, EngineNotification, EventRecord } from "./protocol.js";

export type RemoteEngineOptions = ModelProcessOptions<
  EngineSettings,
  EngineDescription,
  EngineNotification
>;

/** Calls that must be answered soon. One for a slot may wait for a long generation, which is no hang. */
const WATCHED_CALLS = ["prepare", "ask"] as const;

/** Proxy for an engine in another process, from start to exit of that process. */
export class RemoteEngine implements Engine {
  readonly #process: ModelProcess<
    EngineSettings,
    EngineDescription,
    EngineMethods,
    EngineNotification
  >;
  readonly #generations = new Map<string, EmitGeneration>();
  #eventMessages = 0;
  #statistics: EngineStatistics | undefined;

  private constructor(options: RemoteEngineOptions) {
    const { modelPath, draftModelPath } = options.settings;
    this.#process = new ModelProcess(options, {
      subject:
        draftModelPath === undefined
          ? `model ${modelPath}`
          : `model ${modelPath} or draft-model ${draftModelPath}`,
      onNotification: (notification) => this.#receive(notification),
      onEnd: () => this.#failAll(),
      work: (steps) => [
        {
          unit: "generation",
          inFlight: this.#generations.size,
          advance: "step",
          // A step without events is told with the next sign of life only.
          advances: steps + this.#eventMessages,
        },
        callsOf(this.#process.workOf(WATCHED_CALLS)),
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

  get description(): EngineDescription {
    return this.#process.description;
  }

  get statistics(): EngineStatistics | undefined {
    return this.isRunning ? this.#statistics : undefined;
  }

  /** Whether the model is loaded and its process runs. */
  get isRunning(): boolean {
    return this.#process.isRunning;
  }

  prepare(request: GenerationRequest): Promise<PreparedGeneration> {
    return this.#process.call("prepare", request);
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

  start(prepared: PreparedGeneration, emit: EmitGeneration): void {
    if (!this.isRunning) {
      queueMicrotask(() => emit({ type: "failed", error: engineLost() }));
      return;
    }
    this.#generations.set(prepared.id, emit);
    this.#process.notify("start", prepared);
  }

  cancel(id: string): void {
    if (this.#generations.has(id)) this.#process.notify("cancel", id);
  }

  close(): Promise<void> {
    return this.#process.close();
  }

  #receive(notification: EngineNotification): void {
    if (notification.type === "statistics") {
      this.#statistics = notification.statistics;
      return;
    }
    this.#eventMessages += 1;
    for (const [id, record, tokens] of notification.events)
      this.#emit(id, fromEventRecord(record), tokens);
  }

  #emit(id: string, event: GenerationEvent, tokens?: readonly number[]): void {
    const emit = this.#generations.get(id);
    if (isFinal(event)) this.#generations.delete(id);
    emit?.(event, tokens);
  }

  /** Each generation gets one last event. */
  #failAll(): void {
    for (const id of [...this.#generations.keys()]) {
      this.#emit(id, { type: "failed", error: engineLost() });
    }
  }
}

function fromEventRecord(record: EventRecord): GenerationEvent {
  return record.type === "failed" ? { ...record, error: fromErrorRecord(record.error) } : record;
}
