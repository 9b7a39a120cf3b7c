import type { Engine, EngineDescription } from "../core/engine.js";
import type { GenerationEvent } from "../core/generation-event.js";
import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import { reasonOf } from "../core/reason-of.js";
import { RemoteEngine, type RemoteEngineOptions } from "./remote-engine.js";
import { restartDelay } from "./restart-delay.js";

export interface SupervisedEngineOptions extends Omit<RemoteEngineOptions, "onLost"> {
  /** The process is gone; until `onRestored` everything is answered with an error. */
  readonly onLost: () => void;
  readonly onRestored: () => void;
}

/** An engine that ran this long was well: its loss counts as the first. */
const WELL_AFTER_MS = 60_000;

/**
 * An engine in a process of its own that is started again when it dies. What it was doing then
 * fails with `model_unavailable`; nothing hangs.
 */
export class SupervisedEngine implements Engine {
  readonly #options: SupervisedEngineOptions;
  /** The latest, alive or not: a dead one refuses everything by itself. */
  #latest: RemoteEngine | undefined;
  #launchedAt = 0;
  /** How often in a row it was lost or could not be started again. */
  #losses = 0;
  #pause: NodeJS.Timeout | undefined;
  #restart: Promise<void> | undefined;
  #closed = false;

  private constructor(options: SupervisedEngineOptions) {
    this.#options = options;
  }

  /**
   * Starts the process and loads the model.
   * @throws {StartupError} when that fails the first time: then it is for a person to mend.
   */
  static async start(options: SupervisedEngineOptions): Promise<SupervisedEngine> {
    const engine = new SupervisedEngine(options);
    await engine.#launch();
    return engine;
  }

  get description(): EngineDescription {
    return this.#engine.description;
  }

  prepare(request: GenerationRequest): Promise<PreparedGeneration> {
    return this.#engine.prepare(request);
  }

  start(prepared: PreparedGeneration, emit: (event: GenerationEvent) => void): void {
    this.#engine.start(prepared, emit);
  }

  cancel(id: string): void {
    this.#engine.cancel(id);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#pause);
    await this.#restart;
    await this.#engine.close();
  }

  get #engine(): RemoteEngine {
    if (this.#latest === undefined) throw new Error("the engine has not been started");
    return this.#latest;
  }

  async #launch(): Promise<void> {
    const onLost = (reason: string) => this.#lose(reason);
    this.#latest = await RemoteEngine.start({ ...this.#options, onLost });
    this.#launchedAt = performance.now();
  }

  #lose(reason: string): void {
    this.#options.hooks.log("error", `the engine's process has ended (${reason})`);
    this.#options.onLost();
    if (performance.now() - this.#launchedAt > WELL_AFTER_MS) this.#losses = 0;
    this.#restartLater();
  }

  #restartLater(): void {
    if (this.#closed) return;
    this.#losses += 1;
    this.#pause = setTimeout(() => {
      this.#restart = this.#startAgain();
    }, restartDelay(this.#losses));
  }

  async #startAgain(): Promise<void> {
    try {
      await this.#launch();
      this.#options.onRestored();
    } catch (error) {
      this.#options.hooks.log("error", `the engine cannot be started again: ${reasonOf(error)}`);
      this.#restartLater();
    }
  }
}
