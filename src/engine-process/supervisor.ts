import { reasonOf } from "../core/reason-of.js";
import type { NativeLog } from "../engine/llama/native-errors.js";
import { restartBackoffMs } from "./restart-backoff.js";

/** Callbacks of the owner of a supervised process. */
export interface SupervisionListener {
  /** The process has exited; all requests fail until `onRestored`. */
  readonly onLost: () => void;
  readonly onRestored: () => void;
}

export interface SupervisorOptions<Remote> extends SupervisionListener {
  /** Starts a process. It calls `onLost` when it exits unexpectedly. */
  readonly launch: (onLost: (reason: string) => void) => Promise<Remote>;
  readonly log: NativeLog;
}

/** Uptime after which the backoff is reset. */
const STABLE_UPTIME_MS = 60_000;

/** Keeps a process running: restarts it with exponential backoff when it exits. */
export class Supervisor<Remote extends { close(): Promise<void> }> {
  readonly #options: SupervisorOptions<Remote>;
  #latest: Remote;
  #launchedAt = performance.now();
  /** Consecutive losses and failed restarts. */
  #consecutiveLosses = 0;
  #restartTimer: NodeJS.Timeout | undefined;
  #restart: Promise<void> | undefined;
  #closed = false;

  private constructor(options: SupervisorOptions<Remote>, first: Remote) {
    this.#options = options;
    this.#latest = first;
  }

  /**
   * Starts the process.
   * @throws {StartupError} when the first start fails: the operator has to fix that
   */
  static async start<Remote extends { close(): Promise<void> }>(
    options: SupervisorOptions<Remote>,
  ): Promise<Supervisor<Remote>> {
    // A process may be lost as soon as it is loaded, before anybody supervises it.
    let earlyLoss: string | undefined;
    let onLost = (reason: string): void => {
      earlyLoss = reason;
    };
    const first = await options.launch((reason) => onLost(reason));
    const supervisor = new Supervisor(options, first);
    onLost = (reason) => supervisor.#handleLoss(reason);
    if (earlyLoss !== undefined) supervisor.#handleLoss(earlyLoss);
    return supervisor;
  }

  /** The most recent process, running or not: one that has exited rejects all calls. */
  get latest(): Remote {
    return this.#latest;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#restartTimer);
    await this.#restart;
    await this.#latest.close();
  }

  #handleLoss(reason: string): void {
    this.#options.log("error", `the engine's process has ended (${reason})`);
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
      this.#latest = await this.#options.launch((reason) => this.#handleLoss(reason));
      this.#launchedAt = performance.now();
      this.#options.onRestored();
    } catch (error) {
      this.#options.log("error", `the engine cannot be restarted: ${reasonOf(error)}`);
      this.#scheduleRestart();
    }
  }
}
