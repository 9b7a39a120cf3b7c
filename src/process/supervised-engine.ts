import type { AdapterChange, LoadedAdapter } from "../core/adapters.js";
import type { EmitGeneration, Engine } from "../core/engine.js";
import type { EngineStatistics } from "../core/engine-statistics.js";
import { createEngineExitedError, GgufdError } from "../core/errors.js";
import type {
  GenerationRequest,
  GenerationStart,
  PreparedRequest,
} from "../core/generation-request.js";
import { mediaOfPrompt } from "../core/prompt-media.js";
import { settlesWithin } from "../core/settles-within.js";
import type { EngineSlot, SlotCommand, SlotOutcome } from "../core/slot-command.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import type { LoadedEngineDescription } from "../engine/engine-description.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import { isPreparedElsewhere } from "./large-prompts.js";
import { RemoteEngine, type RemoteEngineOptions } from "./remote-engine.js";
import { type OpenPreparer, SupervisedPreparer } from "./supervised-preparer.js";
import { type SupervisionListener, Supervisor } from "./supervisor.js";
import { ThreadLimitSender } from "./thread-limit-sender.js";

export interface SupervisedEngineOptions
  extends Omit<RemoteEngineOptions, "onCrash" | "signal">,
    SupervisionListener {
  /** Aborts the first load of the model: kills its process, and nothing is loaded. */
  readonly signal?: AbortSignal;
  /**
   * Starts the process that prepares large prompts; absent: the engine's process prepares all
   * prompts.
   */
  readonly openPreparer?: OpenPreparer;
  /**
   * When the preparer is started. `at-once`: with the first engine; large prompts wait for it.
   * `on-demand`: with the first large prompt; until it runs, the engine prepares large prompts.
   * Suits models that are loaded on demand, whose first request should not wait for the preparer,
   * and which may be unloaded after a few requests.
   * @default "at-once"
   */
  readonly preparerStart?: "at-once" | "on-demand";
}

/** Maximum time that large prompts wait for the first preparer, which is optional. */
const PREPARER_LIMIT_MS = 5000;

/** Settings that determine the adapters of the next engine. */
type AdapterSettings = Pick<EngineSettings, "adapters" | "failingAdapters">;

/** An engine's process and the preparer process that prepares large prompts for it. */
interface EngineWithPreparer {
  readonly engine: RemoteEngine;
  readonly preparer: SupervisedPreparer | undefined;
  close(): Promise<void>;
}

/**
 * An engine in a separate process, which is restarted when it exits. All requests in flight then
 * fail with `model_unavailable`; none hangs.
 */
export class SupervisedEngine implements Engine {
  readonly #supervisor: Supervisor<EngineWithPreparer>;
  readonly #threadLimit = new ThreadLimitSender();
  /** Settles when large prompts no longer wait for the first preparer. */
  readonly #preparerStarted: Promise<unknown>;

  private constructor(
    supervisor: Supervisor<EngineWithPreparer>,
    preparerStarted: Promise<unknown>,
  ) {
    this.#supervisor = supervisor;
    this.#preparerStarted = preparerStarted;
  }

  /**
   * Starts the process and loads the model.
   * @throws {StartupError} when the first start fails, which the operator has to fix
   */
  static async start(options: SupervisedEngineOptions): Promise<SupervisedEngine> {
    const { onRestored, hooks, settings, preparerStart = "at-once" } = options;
    let latestEngine: RemoteEngine | undefined;
    const supervisor = await Supervisor.start({
      launch: async (onCrash, signal) => {
        // Adapters that clients have loaded may have been deleted, which must not prevent a restart
        // of the model.
        const adapters: Partial<AdapterSettings> =
          latestEngine === undefined
            ? {}
            : { adapters: latestEngine.adapters, failingAdapters: "are-left-out" };
        const startedEngine = await launch(
          { ...options, settings: { ...settings, ...adapters } },
          onCrash,
          signal,
        );
        latestEngine = startedEngine.engine;
        return startedEngine;
      },
      onCrash: options.onCrash,
      onRestored,
      onRestartFailed: options.onRestartFailed,
      log: hooks.log,
      ...(options.signal !== undefined && { signal: options.signal }),
    });
    const { preparer } = supervisor.latest;
    if (preparer === undefined || preparerStart === "on-demand") {
      return new SupervisedEngine(supervisor, Promise.resolve());
    }
    preparer.start();
    const started = settlesWithin(preparer.loadedOrCrashed, PREPARER_LIMIT_MS);
    return new SupervisedEngine(supervisor, started);
  }

  get description(): LoadedEngineDescription {
    return this.#engine.description;
  }

  get statistics(): EngineStatistics | undefined {
    return this.#engine.statistics;
  }

  async prepare(request: GenerationRequest): Promise<PreparedRequest> {
    const engine = this.#engine;
    if (mediaOfPrompt(request.prompt).length === 0) return this.#prepareIn(engine, request);
    const chunkedRequest = await this.#divideMedia(engine, request);
    try {
      return await this.#prepareIn(engine, chunkedRequest);
    } catch (error) {
      engine.release(request.id);
      throw error;
    }
  }

  async #prepareIn(engine: RemoteEngine, request: GenerationRequest): Promise<PreparedRequest> {
    if (!isPreparedElsewhere(request)) return engine.prepare(request);
    await this.#preparerStarted;
    const preparer = this.#getOrStartPreparer();
    if (preparer === undefined) return engine.prepare(request);
    const prepared = await preparer.prepare(request);
    if (!engine.isRunning) throw createEngineExitedError();
    return engine.hold(prepared);
  }

  /**
   * Decodes and chunks a request's media. Media that crashed the process are not retried: they
   * would crash the next one too.
   */
  async #divideMedia(engine: RemoteEngine, request: GenerationRequest): Promise<GenerationRequest> {
    if (!engine.isRunning) throw createEngineExitedError();
    try {
      return await engine.divideMedia(request);
    } catch (error) {
      const hasExited = error instanceof GgufdError && error.code === "model_unavailable";
      if (engine.isRunning || !hasExited) throw error;
      throw new GgufdError(
        "crashes_engine",
        "The model's process crashed while decoding this request's images or audio; they are not retried.",
        { cause: error },
      );
    }
  }

  release(requestId: string): void {
    this.#engine.release(requestId);
  }

  /** Answers in the preparer's process if it is ready, because a text may be long. */
  ask(question: TextQuestion): Promise<TextAnswer> {
    return (this.#getOrStartPreparer() ?? this.#engine).ask(question);
  }

  slots(): Promise<readonly EngineSlot[]> {
    return this.#engine.slots();
  }

  command(command: SlotCommand): Promise<SlotOutcome> {
    return this.#engine.command(command);
  }

  adapt(change: AdapterChange): Promise<readonly LoadedAdapter[]> {
    return this.#engine.adapt(change);
  }

  start(generation: GenerationStart, emit: EmitGeneration): void {
    this.#engine.start(generation, (event, tokens) => {
      if (event.type === "finished") this.#supervisor.noteAnswer();
      emit(event, tokens);
    });
  }

  cancel(id: string): void {
    this.#engine.cancel(id);
  }

  endReasoning(id: string): Promise<boolean> {
    return this.#engine.endReasoning(id);
  }

  limitThreads(limit: number | undefined): void {
    this.#threadLimit.sendIfChanged(this.#engine, limit);
  }

  close(): Promise<void> {
    return this.#supervisor.close();
  }

  /**
   * Returns the preparer, starting it if necessary.
   * @returns `undefined` while the preparer starts, and while no engine is running, which then
   *   rejects all calls
   */
  #getOrStartPreparer(): SupervisedPreparer | undefined {
    const { engine, preparer } = this.#supervisor.latest;
    if (!engine.isRunning) return undefined;
    preparer?.start();
    return preparer?.isReady ? preparer : undefined;
  }

  get #engine(): RemoteEngine {
    return this.#supervisor.latest.engine;
  }
}

/** Starts an engine and its own preparer: the context size may differ between engines. */
async function launch(
  options: SupervisedEngineOptions,
  onCrash: (reason: string) => void,
  signal: AbortSignal,
): Promise<EngineWithPreparer> {
  let preparer: SupervisedPreparer | undefined;
  const engine = await RemoteEngine.start({
    ...options,
    signal,
    onCrash: (reason) => {
      preparer?.close();
      onCrash(reason);
    },
  });
  if (engine.isRunning) preparer = openPreparer(options, engine);
  return {
    engine,
    preparer,
    close() {
      preparer?.close();
      return engine.close();
    },
  };
}

function openPreparer(
  { openPreparer: open, preparerStart, settings, hooks, watchdogSeconds }: SupervisedEngineOptions,
  engine: RemoteEngine,
): SupervisedPreparer | undefined {
  if (open === undefined) return undefined;
  return new SupervisedPreparer({
    open,
    settings: {
      modelPath: settings.modelPath,
      metadataOverrides: settings.metadataOverrides,
      contextSize: engine.description.model.contextSize,
      toolFormat: settings.toolFormat,
      chatTemplate: settings.chatTemplate,
      systemPrompt: settings.systemPrompt,
      templateVariables: settings.templateVariables,
      reasoningBudget: settings.reasoningBudget,
      constraint: settings.constraint,
      defaults: settings.defaults,
    },
    startTrigger: preparerStart === "on-demand" ? "call" : "idleness",
    idleMs: () => engine.idleMs,
    ...(watchdogSeconds !== undefined && { watchdogSeconds }),
    log: hooks.log,
    onCrash: (reason) => hooks.log("warn", `the prompt preparation process exited (${reason})`),
  });
}
