import type { Engine, EngineDescription } from "../core/engine.js";
import { type GenerationEvent, isFinal } from "../core/generation-event.js";
import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import { StartupError } from "../core/startup-error.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import type { EngineHooks, EngineSettings } from "../engine/engine-settings.js";
import type { NativeThreads } from "../engine/llama/native-threads.js";
import type { EngineChannel, OpenChannel } from "./engine-channel.js";
import { engineLost } from "./engine-lost.js";
import { fromErrorRecord } from "./error-record.js";
import type { EventRecord, FromEngine } from "./protocol.js";
import { RemoteCalls } from "./remote-calls.js";

export interface RemoteEngineOptions {
  readonly open: OpenChannel;
  readonly settings: EngineSettings;
  readonly hooks: Pick<EngineHooks, "log" | "onProgress">;
  /** Called when the process exits unexpectedly. */
  readonly onLost: (reason: string) => void;
}

interface Loading {
  readonly resolve: (engine: RemoteEngine) => void;
  readonly reject: (error: StartupError) => void;
}

/** Proxy for an engine in another process, from start to exit of that process. */
export class RemoteEngine implements Engine {
  #channel: EngineChannel;
  readonly #options: RemoteEngineOptions;
  #state: "loading" | "running" | "closing" | "ended" = "loading";
  #description: EngineDescription | undefined;
  readonly #calls = new RemoteCalls((call) => this.#channel.send(call));
  readonly #generations = new Map<string, (event: GenerationEvent) => void>();
  readonly #loading: Loading;
  #onClosed: () => void = () => undefined;

  private constructor(options: RemoteEngineOptions, loading: Loading) {
    this.#options = options;
    this.#loading = loading;
    this.#channel = this.#open("one");
  }

  /**
   * Starts a process and loads the model in it.
   * @throws {StartupError} with the engine's own error message
   */
  static start(options: RemoteEngineOptions): Promise<RemoteEngine> {
    return new Promise((resolve, reject) => {
      new RemoteEngine(options, { resolve, reject });
    });
  }

  get description(): EngineDescription {
    if (this.#description === undefined) throw new Error("the engine is not loaded");
    return this.#description;
  }

  /** Whether the model is loaded and its process runs. */
  get isRunning(): boolean {
    return this.#state === "running";
  }

  prepare(request: GenerationRequest): Promise<PreparedGeneration> {
    if (this.#state !== "running") return Promise.reject(engineLost());
    return this.#calls.prepare(request);
  }

  ask(question: TextQuestion): Promise<TextAnswer> {
    if (this.#state !== "running") return Promise.reject(engineLost());
    return this.#calls.ask(question);
  }

  start(prepared: PreparedGeneration, emit: (event: GenerationEvent) => void): void {
    if (this.#state !== "running") {
      queueMicrotask(() => emit({ type: "failed", error: engineLost() }));
      return;
    }
    this.#generations.set(prepared.id, emit);
    this.#channel.send({ type: "start", prepared });
  }

  cancel(id: string): void {
    if (this.#generations.has(id)) this.#channel.send({ type: "cancel", id });
  }

  close(): Promise<void> {
    if (this.#state === "ended") return Promise.resolve();
    this.#state = "closing";
    return new Promise((resolve) => {
      this.#onClosed = resolve;
      this.#channel.send({ type: "close" });
    });
  }

  /** Starts the process; what comes of an earlier one is ignored from then on. */
  #open(nativeThreads: NativeThreads): EngineChannel {
    const ifCurrent =
      <Value>(handle: (value: Value) => void) =>
      (value: Value) => {
        if (channel === this.#channel) handle(value);
      };
    const channel: EngineChannel = this.#options.open(
      {
        onMessage: ifCurrent((message) => this.#receive(message, nativeThreads)),
        onEnd: ifCurrent((reason) => this.#end(reason)),
      },
      nativeThreads,
    );
    channel.send({ type: "load", settings: this.#options.settings });
    return channel;
  }

  #receive(message: FromEngine, nativeThreads: NativeThreads): void {
    switch (message.type) {
      case "needs-threads": {
        if (nativeThreads === "several") break;
        const former = this.#channel;
        this.#channel = this.#open("several");
        former.kill();
        break;
      }
      case "progress":
        this.#options.hooks.onProgress(message.progress);
        break;
      case "log":
        this.#options.hooks.log(message.level, message.message);
        break;
      case "loaded":
        this.#description = message.description;
        this.#state = "running";
        this.#loading.resolve(this);
        break;
      case "not-loaded":
        this.#state = "closing";
        this.#loading.reject(new StartupError(message.reason));
        this.#channel.kill();
        break;
      case "prepared":
      case "not-prepared":
      case "answered":
      case "not-answered":
        this.#calls.end(message);
        break;
      case "events":
        for (const [id, record] of message.events) this.#emit(id, fromEventRecord(record));
        break;
      case "closed":
        this.#channel.kill();
    }
  }

  #emit(id: string, event: GenerationEvent): void {
    const emit = this.#generations.get(id);
    if (isFinal(event)) this.#generations.delete(id);
    emit?.(event);
  }

  #end(reason: string): void {
    const previousState = this.#state;
    if (previousState === "ended") return;
    this.#state = "ended";
    this.#calls.fail();
    for (const id of [...this.#generations.keys()]) {
      this.#emit(id, { type: "failed", error: engineLost() });
    }
    this.#loading.reject(new StartupError(`the engine's process ended while loading: ${reason}`));
    this.#onClosed();
    if (previousState === "running") this.#options.onLost(reason);
  }
}

function fromEventRecord(record: EventRecord): GenerationEvent {
  return record.type === "failed" ? { ...record, error: fromErrorRecord(record.error) } : record;
}
