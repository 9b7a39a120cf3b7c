import type { GenerationRequest } from "../core/generation-request.js";
import { reasonOf } from "../core/reason-of.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import type { PreparerSettings } from "../engine/prompt-preparer.js";
import type { PreparedGeneration } from "../engine/text/prompt/prepared-generation.js";
import { ModelProcess, type ModelProcessOptions } from "./model-process.js";
import type { PreparerMethods } from "./protocol.js";
import { engineLost } from "./rpc.js";
import { restartBackoffMs } from "./supervisor.js";
import { callsOf } from "./watchdog.js";

type PreparerProcess = ModelProcess<PreparerSettings, undefined, PreparerMethods, never>;
type PreparerProcessOptions = ModelProcessOptions<PreparerSettings, undefined, never>;

export type OpenPreparer = PreparerProcessOptions["open"];

export interface SupervisedPreparerOptions
  extends Pick<PreparerProcessOptions, "open" | "settings" | "watchdogSeconds"> {
  /**
   * What it is started by, if nobody calls {@link SupervisedPreparer.start} before: its engine is idle, or nothing, where others
   * may need its memory.
   */
  readonly startedBy: "idleness" | "call";
  /** For how long its engine has generated nothing, in milliseconds; 0 while it generates. */
  readonly idleMs: () => number;
  readonly log: PreparerProcessOptions["hooks"]["log"];
  /** The process has exited, cannot load its model, or hangs and was killed; it is started again. */
  readonly onLost: (reason: string) => void;
}

/**
 * Beside an engine that was restarted the process is started when that has been idle for so long, unless it is wanted
 * before: loading takes a core for a second. Where the engine computes on all cores, its threads wait for the one that is
 * held up, with each operation: eight streams stood still for two seconds.
 */
const START_AFTER_IDLE_MS = 5000;

const METHODS = ["prepare", "ask"] as const;

/** A process, and what kills it. */
interface Launched {
  readonly process: PreparerProcess;
  readonly kill: AbortController;
}

/**
 * A process that prepares prompts, restarted with backoff when it exits. Calls in flight fail then: a
 * prompt that has ended this process must not be tried in the engine's.
 */
export class SupervisedPreparer {
  readonly #options: SupervisedPreparerOptions;
  /** `undefined`: it has not been started yet, or waits to be started again. */
  #launched: Launched | undefined;
  #consecutiveLosses = 0;
  #startTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: SupervisedPreparerOptions) {
    this.#options = options;
    if (options.startedBy === "idleness") this.#startTimer = this.#startWhenIdle();
  }

  #startWhenIdle(): NodeJS.Timeout {
    const leftMs = Math.max(1, START_AFTER_IDLE_MS - this.#options.idleMs());
    const look = () => {
      if (this.#options.idleMs() >= START_AFTER_IDLE_MS) this.start();
      else this.#startTimer = this.#startWhenIdle();
    };
    return setTimeout(look, leftMs).unref();
  }

  /** Starts the process, if it has not been started yet. */
  start(): void {
    if (this.#launched === undefined && this.#consecutiveLosses === 0) this.#launch();
  }

  /** Settles when the process that was started last has loaded the model, or will not. */
  get loadedOrLost(): Promise<void> {
    return this.#launched?.process.loaded.catch(() => undefined) ?? Promise.resolve();
  }

  /** Whether it can prepare prompts now. */
  get isReady(): boolean {
    return this.#launched?.process.isRunning ?? false;
  }

  /** @throws {GgufdError} of the prompt, or `model_unavailable` when the process exits */
  prepare(request: GenerationRequest): Promise<PreparedGeneration> {
    return this.#answered((process) => process.call("prepare", request));
  }

  /** @throws {GgufdError} of the question, or `model_unavailable` when the process exits */
  ask(question: TextQuestion): Promise<TextAnswer> {
    return this.#answered((process) => process.call("ask", question));
  }

  /** Ends the process at once, as it has nothing to save; calls in flight fail. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#startTimer);
    this.#launched?.kill.abort();
  }

  async #answered<Answer>(call: (process: PreparerProcess) => Promise<Answer>): Promise<Answer> {
    if (this.#launched === undefined) throw engineLost();
    const answer = await call(this.#launched.process);
    this.#consecutiveLosses = 0;
    return answer;
  }

  #launch(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#startTimer);
    const { open, settings, watchdogSeconds, log } = this.#options;
    const kill = new AbortController();
    /** Why the model cannot be loaded; the process is ended then. */
    let refusal: string | undefined;
    const process: PreparerProcess = new ModelProcess(
      {
        open,
        settings,
        hooks: { log, onProgress: () => undefined },
        ...(watchdogSeconds !== undefined && { watchdogSeconds }),
        signal: kill.signal,
        onLost: () => undefined,
      },
      {
        subject: `model ${settings.modelPath}`,
        onNotification: () => undefined,
        onEnd: (reason) => this.#startAgain(refusal ?? reason),
        work: () => [callsOf(process.workOf(METHODS))],
      },
    );
    process.loaded.catch((error: unknown) => {
      refusal = reasonOf(error);
    });
    this.#launched = { process, kill };
  }

  #startAgain(reason: string): void {
    if (this.#isClosed) return;
    this.#launched = undefined;
    this.#options.onLost(reason);
    this.#consecutiveLosses += 1;
    this.#startTimer = setTimeout(() => this.#launch(), restartBackoffMs(this.#consecutiveLosses));
  }
}
