import type { EmitGeneration, Engine, EngineDescription } from "../../src/core/engine.js";
import { GgufdError } from "../../src/core/errors.js";
import { type GenerationEvent, isFinal } from "../../src/core/generation-event.js";
import type {
  GenerationRequest,
  GenerationStart,
  PreparedRequest,
} from "../../src/core/generation-request.js";
import { NO_MEMORY } from "../../src/core/memory-use.js";
import type { EngineSlot } from "../../src/core/slot-command.js";
import { finished } from "./generation-events.js";

export interface Script {
  readonly slots?: number;
  readonly contextSize?: number;
  readonly device?: string;
  /** Runs in `prepare`: may wait or throw. */
  readonly onPrepare?: (request: GenerationRequest) => Promise<void> | undefined;
  /** Runs in `start`: may throw. */
  readonly onStart?: (id: string) => void;
}

/** An engine whose events are emitted by the test. */
export class ManualEngine implements Engine {
  description: EngineDescription;
  /** Requests whose prompts were prepared, repeatedly after a crash. */
  readonly prepared: string[] = [];
  /** Ids in the order in which they were started, and cancelled. */
  readonly started: string[] = [];
  readonly cancelled: string[] = [];
  /** Indices of the started generations among the choices of their requests. */
  readonly choices: (number | undefined)[] = [];
  readonly #script: Script;
  readonly #running = new Map<string, EmitGeneration>();
  readonly #latest = new Map<string, GenerationStart>();
  readonly #held = new Map<string, PreparedRequest>();
  #isLost = false;
  #allowsExcess = false;

  constructor(script: Script = {}) {
    this.#script = script;
    this.description = {
      model: {
        path: "/models/scripted.gguf",
        name: "scripted",
        architecture: "none",
        parameters: 0,
        sizeBytes: 0,
        trainContextSize: 1024,
        contextSize: script.contextSize ?? 1024,
        vocabularySize: 1024,
        fingerprint: "ggufd_000000000000",
      },
      slots: script.slots ?? 1,
      batchSize: 512,
      threads: { decode: 1, prefill: 1 },
      kvCache: { type: "f16", layout: "split", bytes: 1_000_000 },
      memory: NO_MEMORY,
      device: script.device ?? "CPU",
      build: "prebuilt",
      outputFormat: { convention: "hermes", reasoning: "think" },
      endTokens: [2],
    };
  }

  get running(): string[] {
    return [...this.#running.keys()];
  }

  /** Last start parameters of a generation. */
  latest(id: string): GenerationStart {
    const generation = this.#latest.get(id);
    if (generation === undefined) throw new Error(`${id} was never started`);
    return generation;
  }

  /** One token for each character of the messages. */
  async prepare(request: GenerationRequest): Promise<PreparedRequest> {
    this.prepared.push(request.id);
    if (this.#isLost) throw engineLost();
    await this.#script.onPrepare?.(request);
    const { id, prompt, stopping } = request;
    if (prompt.type !== "chat") throw new Error("expected a conversation");
    const promptTokens = prompt.messages.reduce((sum, { content }) => sum + content.length, 0);
    const { contextSize } = this.description.model;
    if (promptTokens >= contextSize) {
      const message = `The context has ${contextSize} tokens, the prompt ${promptTokens}.`;
      throw new GgufdError("context_length_exceeded", message);
    }
    const maxTokens = Math.min(stopping.maxTokens ?? 8, contextSize - promptTokens);
    const prepared = { id, promptTokens, maxTokens };
    this.#held.set(id, prepared);
    return prepared;
  }

  release(requestId: string): void {
    this.#held.delete(requestId);
  }

  /** Requests that are prepared and not released. */
  get held(): readonly string[] {
    return [...this.#held.keys()];
  }

  /** How many tokens the answers to a request may have. */
  maxTokens(requestId: string): number | undefined {
    return this.#held.get(requestId)?.maxTokens;
  }

  ask(): Promise<never> {
    return Promise.reject(new Error("unexpected call"));
  }

  /** Generations occupy the first slots. */
  async slots(): Promise<readonly EngineSlot[]> {
    const generations = this.running;
    return Array.from({ length: this.description.slots }, (_, slot) => {
      const generation = generations[slot];
      return generation === undefined ? { heldTokens: 0 } : { heldTokens: 1, generation };
    });
  }

  command(): Promise<never> {
    return Promise.reject(new Error("unexpected call"));
  }

  adapt(): Promise<never> {
    return Promise.reject(new Error("unexpected call"));
  }

  start(generation: GenerationStart, emit: EmitGeneration): void {
    const { id, requestId, choice } = generation;
    if (!this.#held.has(requestId)) throw new Error(`${requestId} is not held`);
    if (this.#isLost) throw new Error(`${id} is started in a lost engine`);
    this.#script.onStart?.(id);
    const interactive = this.running.filter((other) => this.latest(other).class !== "batch");
    const isFull = generation.class !== "batch" && interactive.length >= this.description.slots;
    if (isFull && !this.#allowsExcess) throw new Error(`no slot left for ${id}`);
    this.started.push(id);
    this.choices.push(choice);
    this.#running.set(id, emit);
    this.#latest.set(id, generation);
  }

  limitThreads(): void {}

  async endReasoning(): Promise<boolean> {
    return false;
  }

  cancel(id: string): void {
    this.cancelled.push(id);
  }

  async close(): Promise<void> {}

  /** Emits an event of a running generation, with the tokens since the one before. */
  emit(id: string, event: GenerationEvent = finished, tokens?: readonly number[]): void {
    const emit = this.#running.get(id);
    if (emit === undefined) throw new Error(`${id} is not running`);
    if (isFinal(event)) this.#running.delete(id);
    emit(event, tokens);
  }

  /** Allows more generations than slots from now on, as the engine does, which queues them. */
  allowExcess(): void {
    this.#allowsExcess = true;
  }

  /** Drops all started generations. */
  forget(): void {
    this.#latest.clear();
  }

  /** Ends as a process does that exits: everything in it fails. */
  lose(): void {
    this.#isLost = true;
    this.#held.clear();
    for (const id of this.running) this.emit(id, { type: "failed", error: engineLost() });
  }

  /** There is a process again, maybe with other limits. */
  restore({ slots, contextSize }: Pick<Script, "slots" | "contextSize"> = {}): void {
    this.#isLost = false;
    const { description } = this;
    this.description = {
      ...description,
      slots: slots ?? description.slots,
      model: { ...description.model, contextSize: contextSize ?? description.model.contextSize },
    };
  }
}

/** Error of generations that were in an engine when it crashed. */
export function engineLost(): GgufdError {
  return new GgufdError("model_unavailable", "The process has exited.", { retryAfterSeconds: 2 });
}

/** A request with a prompt of `promptTokens` tokens. */
export function request(id: string, promptTokens = 1): GenerationRequest {
  return {
    id,
    prompt: {
      type: "chat",
      messages: [{ role: "user", content: "x".repeat(promptTokens) }],
      tools: [],
      templateVariables: {},
    },
    sampling: {},
    stopping: { minTokens: 0, stop: [], ignoreEos: false },
  };
}
