import type { Engine, EngineDescription } from "../core/engine.js";
import type { GenerationEvent } from "../core/generation-event.js";
import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import { reasonOf } from "../core/reason-of.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import { isLargePrompt } from "./large-prompts.js";
import { RemoteEngine, type RemoteEngineOptions } from "./remote-engine.js";
import { restartBackoffMs } from "./restart-backoff.js";
import { type OpenPreparer, SupervisedPreparer } from "./supervised-preparer.js";

export interface SupervisedEngineOptions extends Omit<RemoteEngineOptions, "onLost"> {
  /** The process has exited; all requests fail until `onRestored`. */
  readonly onLost: () => void;
  readonly onRestored: () => void;
  /** Starts the process that prepares large prompts; absent: the engine's process prepares all. */
  readonly openPreparer?: OpenPreparer;
}

/** Uptime after which the backoff is reset. */
const STABLE_UPTIME_MS = 60_000;

/**
 * An engine in a separate process with supervised restart and exponential backoff. When the process
 * exits, everything in flight fails with `model_unavailable`; nothing hangs.
 */
export class SupervisedEngine implements Engine {
  readonly #options: SupervisedEngineOptions;
  /** The most recent engine, running or not: one whose process has exited rejects all calls. */
  #latest: RemoteEngine | undefined;
  #preparer: SupervisedPreparer | undefined;
  #launchedAt = 0;
  /** Consecutive losses and failed restarts. */
  #consecutiveLosses = 0;
  #restartTimer: NodeJS.Timeout | undefined;
  #restart: Promise<void> | undefined;
  #closed = false;

  private constructor(options: SupervisedEngineOptions) {
    this.#options = options;
  }

  /**
   * Starts the process and loads the model.
   * @throws {StartupError} when the first start fails: the operator has to fix that
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
    const preparer = isLargePrompt(request) ? this.#readyPreparer : undefined;
    return (preparer ?? this.#engine).prepare(request);
  }

  /** In the preparer's process, if it is ready: a text may be long. */
  ask(question: TextQuestion): Promise<TextAnswer> {
    return (this.#readyPreparer ?? this.#engine).ask(question);
  }

  start(prepared: PreparedGeneration, emit: (event: GenerationEvent) => void): void {
    this.#engine.start(prepared, emit);
  }

  cancel(id: string): void {
    this.#engine.cancel(id);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#restartTimer);
    await this.#restart;
    this.#preparer?.close();
    await this.#engine.close();
  }

  /** `undefined` while it starts, and while there is no engine: that refuses all calls. */
  get #readyPreparer(): SupervisedPreparer | undefined {
    return this.#engine.isRunning && this.#preparer?.isReady ? this.#preparer : undefined;
  }

  get #engine(): RemoteEngine {
    if (this.#latest === undefined) throw new Error("the engine has not been started");
    return this.#latest;
  }

  async #launch(): Promise<void> {
    const onLost = (reason: string) => this.#handleLoss(reason);
    this.#latest = await RemoteEngine.start({ ...this.#options, onLost });
    this.#launchedAt = performance.now();
    this.#openPreparer();
  }

  /** The context may have changed with the engine. */
  #openPreparer(): void {
    const { openPreparer, settings, hooks } = this.#options;
    this.#preparer?.close();
    if (openPreparer === undefined || this.#closed) return;
    this.#preparer = new SupervisedPreparer({
      open: openPreparer,
      settings: {
        modelPath: settings.modelPath,
        contextSize: this.#engine.description.model.contextSize,
        toolFormat: settings.toolFormat,
      },
      onLost: (reason) =>
        hooks.log("warn", `the process that prepares large prompts has ended (${reason})`),
    });
  }

  #handleLoss(reason: string): void {
    this.#options.hooks.log("error", `the engine's process has ended (${reason})`);
    this.#options.onLost();
    if (performance.now() - this.#launchedAt > STABLE_UPTIME_MS) this.#consecutiveLosses = 0;
    this.#scheduleRestart();
  }

  #scheduleRestart(): void {
    if (this.#closed) return;
    this.#consecutiveLosses += 1;
    this.#restartTimer = setTimeout(() => {
      this.#restart = this.#relaunch();
    }, restartBackoffMs(this.#consecutiveLosses));
  }

  async #relaunch(): Promise<void> {
    try {
      await this.#launch();
      this.#options.onRestored();
    } catch (error) {
      this.#options.hooks.log("error", `the engine cannot be restarted: ${reasonOf(error)}`);
      this.#scheduleRestart();
    }
  }
}
