import type { Engine, EngineDescription } from "../../src/core/engine.js";
import { type GenerationEvent, isFinal } from "../../src/core/generation-event.js";
import type { GenerationRequest, PreparedGeneration } from "../../src/core/generation-request.js";
import { plainReading } from "../support/plain-reading.js";
import { finished } from "./events.js";

export interface Script {
  readonly slots?: number;
  /** Runs in `prepare`: may wait or throw. */
  readonly onPrepare?: (request: GenerationRequest) => Promise<void> | undefined;
  /** Runs in `start`: may throw. */
  readonly onStart?: (id: string) => void;
}

/** An engine whose events are emitted by the test. */
export class ScriptedEngine implements Engine {
  readonly description: EngineDescription;
  /** Ids in the order in which they were started, and cancelled. */
  readonly started: string[] = [];
  readonly cancelled: string[] = [];
  /** Of those that were started: their positions among the choices of their request. */
  readonly choices: (number | undefined)[] = [];
  readonly #script: Script;
  readonly #running = new Map<string, (event: GenerationEvent) => void>();

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
        contextSize: 1024,
        vocabularySize: 1024,
        fingerprint: "ggufd_000000000000",
      },
      slots: script.slots ?? 1,
      batchSize: 512,
      threads: { decode: 1, prefill: 1 },
      kvCache: { type: "f16", layout: "split", bytes: 1_000_000 },
      device: "CPU",
      build: "prebuilt",
      outputFormat: { convention: "hermes", reasoning: "think" },
    };
  }

  get running(): string[] {
    return [...this.#running.keys()];
  }

  /** One token for each character of the messages. */
  async prepare(request: GenerationRequest): Promise<PreparedGeneration> {
    await this.#script.onPrepare?.(request);
    const { id, prompt, sampling, stopping } = request;
    if (prompt.type !== "chat") throw new Error("expected a conversation");
    const length = prompt.messages.reduce((sum, { content }) => sum + content.length, 0);
    const promptTokens = Array.from({ length }, () => 1);
    return { id, promptTokens, reading: plainReading, maxTokens: 8, sampling, stopping };
  }

  ask(): Promise<never> {
    return Promise.reject(new Error("unexpected call"));
  }

  start({ id, choice }: PreparedGeneration, emit: (event: GenerationEvent) => void): void {
    this.#script.onStart?.(id);
    if (this.#running.size >= this.description.slots) throw new Error(`no slot left for ${id}`);
    this.started.push(id);
    this.choices.push(choice);
    this.#running.set(id, emit);
  }

  cancel(id: string): void {
    this.cancelled.push(id);
  }

  async close(): Promise<void> {}

  /** Emits an event of a running generation. */
  emit(id: string, event: GenerationEvent = finished): void {
    const emit = this.#running.get(id);
    if (emit === undefined) throw new Error(`${id} is not running`);
    if (isFinal(event)) this.#running.delete(id);
    emit(event);
  }
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
