import type {
  PoolingAnswer,
  PoolingDescription,
  PoolingEngine,
  PoolingRequest,
} from "../core/pooling.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import type { PoolingSettings } from "../engine/pooling-engine.js";
import { engineLost } from "./engine-lost.js";
import { ModelProcess, type ModelProcessOptions } from "./model-process.js";
import { PendingCalls } from "./pending-calls.js";
import type { PoolingCommand, PoolingReply } from "./pooling-protocol.js";

export type RemotePoolingOptions = ModelProcessOptions<
  PoolingSettings,
  PoolingDescription,
  PoolingCommand,
  PoolingReply
>;

/** Proxy for a pooling engine in another process, from start to exit of that process. */
export class RemotePooling implements PoolingEngine {
  readonly #process: ModelProcess<
    PoolingSettings,
    PoolingDescription,
    PoolingCommand,
    PoolingReply
  >;
  readonly #requests = new PendingCalls<PoolingAnswer | "cancelled">();
  readonly #questions = new PendingCalls<TextAnswer>();

  private constructor(options: RemotePoolingOptions) {
    const { role, path } = options.settings.source;
    this.#process = new ModelProcess(options, {
      subject: `${role} ${path}`,
      onAnswer: (reply) => this.#receive(reply),
      onEnd: () => {
        this.#requests.fail();
        this.#questions.fail();
      },
      work: (batches) => [
        {
          unit: "request",
          inFlight: this.#requests.inFlight,
          advance: "batch",
          advances: batches + this.#requests.answers,
        },
        {
          unit: "call",
          inFlight: this.#questions.inFlight,
          advance: "answer",
          advances: this.#questions.answers,
        },
      ],
    });
  }

  /**
   * Starts a process and loads the model in it.
   * @throws {StartupError} with the engine's own error message
   */
  static async start(options: RemotePoolingOptions): Promise<RemotePooling> {
    const engine = new RemotePooling(options);
    await engine.#process.loaded;
    return engine;
  }

  get description(): PoolingDescription {
    return this.#process.description;
  }

  pool(request: PoolingRequest): Promise<PoolingAnswer | "cancelled"> {
    if (!this.#process.isRunning) return Promise.reject(engineLost());
    return this.#requests.begin((callId) => this.#process.send({ type: "pool", callId, request }));
  }

  ask(question: TextQuestion): Promise<TextAnswer> {
    if (!this.#process.isRunning) return Promise.reject(engineLost());
    return this.#questions.begin((callId) => this.#process.send({ type: "ask", callId, question }));
  }

  cancel(id: string): void {
    if (this.#process.isRunning) this.#process.send({ type: "cancel", id });
  }

  close(): Promise<void> {
    return this.#process.close();
  }

  #receive(reply: PoolingReply): void {
    switch (reply.type) {
      case "pooled":
        this.#requests.resolve(reply.callId, reply.answer);
        break;
      case "not-pooled":
        this.#requests.reject(reply.callId, reply.error);
        break;
      case "answered":
        this.#questions.resolve(reply.callId, reply.answer);
        break;
      case "not-answered":
        this.#questions.reject(reply.callId, reply.error);
        break;
    }
  }
}
