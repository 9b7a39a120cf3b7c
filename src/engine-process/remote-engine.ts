import type { EmitGeneration, Engine, EngineDescription } from "../core/engine.js";
import type { EngineStatistics } from "../core/engine-statistics.js";
import { type GenerationEvent, isFinal } from "../core/generation-event.js";
import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import type { EngineSlot, SlotCommand, SlotOutcome } from "../core/slot-command.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import { engineLost } from "./engine-lost.js";
import { fromErrorRecord } from "./error-record.js";
import { ModelProcess, type ModelProcessOptions } from "./model-process.js";
import { PendingCalls } from "./pending-calls.js";
import type { EngineAnswer, EngineCommand, EventRecord } from "./protocol.js";
import { RemoteCalls } from "./remote-calls.js";

export type RemoteEngineOptions = ModelProcessOptions<
  EngineSettings,
  EngineDescription,
  EngineCommand,
  EngineAnswer
>;

/** Proxy for an engine in another process, from start to exit of that process. */
export class RemoteEngine implements Engine {
  readonly #process: ModelProcess<EngineSettings, EngineDescription, EngineCommand, EngineAnswer>;
  readonly #calls = new RemoteCalls((call) => this.#process.send(call));
  readonly #lists = new PendingCalls<readonly EngineSlot[]>();
  /** Not watched: one that waits for a long generation is no hang. */
  readonly #commands = new PendingCalls<SlotOutcome>();
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
      onAnswer: (answer) => this.#receive(answer),
      onEnd: () => this.#failAll(),
      work: (steps) => [
        {
          unit: "generation",
          inFlight: this.#generations.size,
          advance: "step",
          // A step without events is told with the next sign of life only.
          advances: steps + this.#eventMessages,
        },
        this.#calls.work,
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
    if (!this.isRunning) return Promise.reject(engineLost());
    return this.#calls.prepare(request);
  }

  ask(question: TextQuestion): Promise<TextAnswer> {
    if (!this.isRunning) return Promise.reject(engineLost());
    return this.#calls.ask(question);
  }

  slots(): Promise<readonly EngineSlot[]> {
    if (!this.isRunning) return Promise.reject(engineLost());
    return this.#lists.begin((callId) => this.#process.send({ type: "slots", callId }));
  }

  command(command: SlotCommand): Promise<SlotOutcome> {
    if (!this.isRunning) return Promise.reject(engineLost());
    return this.#commands.begin((callId) =>
      this.#process.send({ type: "command", callId, command }),
    );
  }

  start(prepared: PreparedGeneration, emit: EmitGeneration): void {
    if (!this.isRunning) {
      queueMicrotask(() => emit({ type: "failed", error: engineLost() }));
      return;
    }
    this.#generations.set(prepared.id, emit);
    this.#process.send({ type: "start", prepared });
  }

  cancel(id: string): void {
    if (this.#generations.has(id)) this.#process.send({ type: "cancel", id });
  }

  close(): Promise<void> {
    return this.#process.close();
  }

  #receive(answer: EngineAnswer): void {
    switch (answer.type) {
      case "events":
        this.#eventMessages += 1;
        for (const [id, record, tokens] of answer.events) {
          this.#emit(id, fromEventRecord(record), tokens);
        }
        break;
      case "statistics":
        this.#statistics = answer.statistics;
        break;
      case "slots-listed":
        this.#lists.resolve(answer.callId, answer.slots);
        break;
      case "commanded":
        this.#commands.resolve(answer.callId, answer.outcome);
        break;
      case "not-commanded":
        this.#commands.reject(answer.callId, answer.error);
        break;
      default:
        this.#calls.end(answer);
    }
  }

  #emit(id: string, event: GenerationEvent, tokens?: readonly number[]): void {
    const emit = this.#generations.get(id);
    if (isFinal(event)) this.#generations.delete(id);
    emit?.(event, tokens);
  }

  /** Calls first, then generations: each gets one last event. */
  #failAll(): void {
    this.#calls.fail();
    this.#lists.fail();
    this.#commands.fail();
    for (const id of [...this.#generations.keys()]) {
      this.#emit(id, { type: "failed", error: engineLost() });
    }
  }
}

function fromEventRecord(record: EventRecord): GenerationEvent {
  return record.type === "failed" ? { ...record, error: fromErrorRecord(record.error) } : record;
}
