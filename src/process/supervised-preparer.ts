import { createEngineExitedError } from "../core/errors.js";
import { formatReason } from "../core/format-reason.js";
import type { GenerationRequest } from "../core/generation-request.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import type { PreparerSettings } from "../engine/prompt-preparer.js";
import type { PreparedGeneration } from "../engine/text/prompt/prepared-generation.js";
import { ModelProcess, type ModelProcessOptions } from "./model-process.js";
import type { PreparerMethods } from "./protocol.js";
import { restartBackoffMs } from "./supervisor.js";
import { toCallWork } from "./watchdog.js";

type PreparerProcess = ModelProcess<PreparerSettings, undefined, PreparerMethods, never>;
type PreparerProcessOptions = ModelProcessOptions<PreparerSettings, undefined, never>;

export type OpenPreparer = PreparerProcessOptions["open"];

export interface SupervisedPreparerOptions
  extends Pick<PreparerProcessOptions, "open" | "settings" | "watchdogSeconds"> {
  /**
   * Trigger of the first start. `idleness`: the engine has become idle, or an earlier call of
   * {@link SupervisedPreparer.start}. `call`: that call only, because other models may need the
   * memory.
   */
  readonly startTrigger: "idleness" | "call";
  /** Time since the engine's last generation, in milliseconds; 0 while one is running. */
  readonly idleMs: () => number;
  readonly log: PreparerProcessOptions["hooks"]["log"];
  /**
   * The process has exited, cannot load its model, or was killed because it hung; it is started
   * again.
   */
  readonly onCrash: (reason: string) => void;
}

/**
 * Idle time of a restarted engine after which its preparer is started, unless it is needed earlier.
 * Loading takes a core for a second. If the engine computes on all cores, its threads wait at every
 * operation for the one that lost its core: eight streams were measured to stall for two seconds.
 */
const START_AFTER_IDLE_MS = 5000;

const METHODS = ["prepare", "ask"] as const;

/** A preparer process with the controller that kills it. */
interface LaunchedPreparer {
  readonly process: PreparerProcess;
  readonly killController: AbortController;
}

/**
 * A process that prepares prompts, restarted with backoff when it exits. Calls in flight then fail:
 * a prompt that crashed this process must not be retried in the engine's process.
 */
export class SupervisedPreparer {
  readonly #options: SupervisedPreparerOptions;
  /** `undefined` before the first start and while a restart is pending. */
  #launchedPreparer: LaunchedPreparer | undefined;
  #consecutiveCrashes = 0;
  #startTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: SupervisedPreparerOptions) {
    this.#options = options;
    if (options.startTrigger === "idleness") this.#startTimer = this.#startWhenIdle();
  }

  #startWhenIdle(): NodeJS.Timeout {
    const remainingMs = Math.max(1, START_AFTER_IDLE_MS - this.#options.idleMs());
    const checkIdleness = () => {
      if (this.#options.idleMs() >= START_AFTER_IDLE_MS) this.start();
      else this.#startTimer = this.#startWhenIdle();
    };
    return setTimeout(checkIdleness, remainingMs).unref();
  }

  /** Starts the process, unless it was started before. */
  start(): void {
    if (this.#launchedPreparer === undefined && this.#consecutiveCrashes === 0) this.#launch();
  }

  /** Settles when the most recently started process has loaded the model or failed to. */
  get loadedOrCrashed(): Promise<void> {
    return this.#launchedPreparer?.process.loaded.catch(() => undefined) ?? Promise.resolve();
  }

  /** Whether the process can prepare prompts now. */
  get isReady(): boolean {
    return this.#launchedPreparer?.process.isRunning ?? false;
  }

  /**
   * Prepares a prompt.
   * @throws {GgufdError} the error of the prompt, or `model_unavailable` when the process exits
   */
  prepare(request: GenerationRequest): Promise<PreparedGeneration> {
    return this.#callPreparer((process) => process.call("prepare", request));
  }

  /**
   * Answers a question about a text.
   * @throws {GgufdError} the error of the question, or `model_unavailable` when the process exits
   */
  ask(question: TextQuestion): Promise<TextAnswer> {
    return this.#callPreparer((process) => process.call("ask", question));
  }

  /** Kills the process, which has nothing to save; calls in flight fail. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#startTimer);
    this.#launchedPreparer?.killController.abort();
  }

  async #callPreparer<Answer>(
    call: (process: PreparerProcess) => Promise<Answer>,
  ): Promise<Answer> {
    if (this.#launchedPreparer === undefined) throw createEngineExitedError();
    const answer = await call(this.#launchedPreparer.process);
    this.#consecutiveCrashes = 0;
    return answer;
  }

  #launch(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#startTimer);
    const { open, settings, watchdogSeconds, log } = this.#options;
    const abortController = new AbortController();
    /** Why the model cannot be loaded; the process is then killed. */
    let loadFailure: string | undefined;
    const process: PreparerProcess = new ModelProcess(
      {
        open,
        settings,
        hooks: { log, onProgress: () => undefined },
        ...(watchdogSeconds !== undefined && { watchdogSeconds }),
        signal: abortController.signal,
        onCrash: () => undefined,
      },
      {
        subject: `model ${settings.modelPath}`,
        onNotification: () => undefined,
        onEnd: (reason) => this.#startAgain(loadFailure ?? reason),
        work: () => [toCallWork(process.countWork(METHODS))],
      },
    );
    process.loaded.catch((error: unknown) => {
      loadFailure = formatReason(error);
    });
    this.#launchedPreparer = { process, killController: abortController };
  }

  #startAgain(reason: string): void {
    if (this.#isClosed) return;
    this.#launchedPreparer = undefined;
    this.#options.onCrash(reason);
    this.#consecutiveCrashes += 1;
    this.#startTimer = setTimeout(() => this.#launch(), restartBackoffMs(this.#consecutiveCrashes));
  }
}
