import type {
  PoolingAnswer,
  PoolingDescription,
  PoolingEngine,
  PoolingRequest,
} from "../core/pooling.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import type { PoolingSettings } from "../engine/pooling-engine.js";
import { ModelProcess, type ModelProcessOptions } from "./model-process.js";
import type { PoolingMethods } from "./protocol.js";
import { type SupervisionListener, Supervisor } from "./supervisor.js";
import { ThreadLimitSender } from "./thread-limit-sender.js";
import { toCallWork } from "./watchdog.js";

export interface SupervisedPoolingOptions
  extends Omit<RemotePoolingOptions, "onCrash" | "signal">,
    SupervisionListener {
  /**
   * Aborting while the model is loading for the first time kills its process; nothing is loaded.
   */
  readonly signal?: AbortSignal;
}

/** A pooling engine in a separate process, which is restarted when it exits. */
export class SupervisedPooling implements PoolingEngine {
  readonly #supervisor: Supervisor<RemotePooling>;
  readonly #threadLimit = new ThreadLimitSender();

  private constructor(supervisor: Supervisor<RemotePooling>) {
    this.#supervisor = supervisor;
  }

  /**
   * Starts the process and loads the model.
   * @throws {StartupError} when the first start fails, which the operator has to fix
   */
  static async start(options: SupervisedPoolingOptions): Promise<SupervisedPooling> {
    const { onRestored, hooks } = options;
    return new SupervisedPooling(
      await Supervisor.start({
        launch: (onCrash, signal) => RemotePooling.start({ ...options, onCrash, signal }),
        onCrash: options.onCrash,
        onRestored,
        onRestartFailed: options.onRestartFailed,
        log: hooks.log,
        ...(options.signal !== undefined && { signal: options.signal }),
      }),
    );
  }

  get description(): PoolingDescription {
    return this.#supervisor.latest.description;
  }

  async pool(request: PoolingRequest): Promise<PoolingAnswer | "cancelled"> {
    const answer = await this.#supervisor.latest.pool(request);
    this.#supervisor.noteAnswer();
    return answer;
  }

  ask(question: TextQuestion): Promise<TextAnswer> {
    return this.#supervisor.latest.ask(question);
  }

  cancel(id: string): void {
    this.#supervisor.latest.cancel(id);
  }

  limitThreads(limit: number | undefined): void {
    this.#threadLimit.sendIfChanged(this.#supervisor.latest, limit);
  }

  close(): Promise<void> {
    return this.#supervisor.close();
  }
}

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
        const { inFlight, answered } = this.#process.countWork(["pool"]);
        return [
          { unit: "request", inFlight, advance: "batch", advances: batches + answered },
          toCallWork(this.#process.countWork(["ask"])),
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

  limitThreads(limit: number | undefined): void {
    this.#process.notify("limitThreads", limit);
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}
