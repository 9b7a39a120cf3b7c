import type {
  PoolingAnswer,
  PoolingDescription,
  PoolingEngine,
  PoolingRequest,
} from "../core/pooling.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import type { PoolingSettings } from "../engine/pooling-engine.js";
import { callsOf } from "./hang-detector.js";
import { ModelProcess, type ModelProcessOptions } from "./model-process.js";
import type { PoolingMethods } from "./protocol.js";

export type RemotePoolingOptions = ModelProcessOptions<PoolingSettings, PoolingDescription, never>;

/** Proxy for a pooling engine in another process, from start to exit of that process. */
export class RemotePooling implements PoolingEngine {
  readonly #process: ModelProcess<PoolingSettings, PoolingDescription, PoolingMethods, never>;

  private constructor(options: RemotePoolingOptions) {
    const { role, path } = options.settings.source;
    this.#process = new ModelProcess(options, {
      subject: `${role} ${path}`,
      onNotification: () => undefined,
      onEnd: () => undefined,
      work: (batches) => {
        const { inFlight, answered } = this.#process.workOf(["pool"]);
        return [
          { unit: "request", inFlight, advance: "batch", advances: batches + answered },
          callsOf(this.#process.workOf(["ask"])),
        ];
      },
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
    return this.#process.call("pool", request);
  }

  ask(question: TextQuestion): Promise<TextAnswer> {
    return this.#process.call("ask", question);
  }

  cancel(id: string): void {
    this.#process.notify("cancel", id);
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}
