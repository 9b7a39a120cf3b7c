import { reasonOf } from "../core/reason-of.js";
import type { NativeLog } from "../engine/native/native-errors.js";

/** Callbacks of the owner of a supervised process. */
export interface SupervisionListener {
  /**
   * The process is lost: all that it was doing has failed just before, and all requests fail until `onRestored`.
   */
  readonly onLost: () => void;
  /** A new process serves; its description may differ from the former one's. */
  readonly onRestored: () => void;
}

export interface SupervisorOptions<Remote> extends SupervisionListener {
  /**
   * Starts a process. It calls `onLost` once, when it is lost. Aborting `signal` before it has started kills it.
   */
  readonly launch: (onLost: (reason: string) => void, signal: AbortSignal) => Promise<Remote>;
  readonly log: NativeLog;
  /** Ends the first start. */
  readonly signal?: AbortSignal;
}

/** A process whose loss is told as soon as somebody supervises it, even if it was lost before. */
interface Launched<Remote> {
  readonly remote: Remote;
  readonly supervise: (onLost: (reason: string) => void) => void;
}

/**
 * Keeps a process running: restarts it with exponential backoff when it is lost.
 *
 * `close` of a process resolves when it is gone, also after its loss, and in bounded time.
 */
export class Supervisor<Remote extends { close(): Promise<void> }> {
  readonly #options: SupervisorOptions<Remote>;
  #latest: Remote;
  /** Losses and failed restarts since the last answer. */
  #consecutiveLosses = 0;
  #restartTimer: NodeJS.Timeout | undefined;
  /** Of the restart that is under way. */
  #launching: AbortController | undefined;
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
    const { remote, supervise } = await launch(
      options,
      options.signal ?? new AbortController().signal,
    );
    const supervisor = new Supervisor(options, remote);
    supervise((reason) => supervisor.#handleLoss(reason));
    return supervisor;
  }

  /** The most recent process, running or not: one that has exited rejects all calls. */
  get latest(): Remote {
    return this.#latest;
  }

  /** The process has answered a request: it works, and should it be lost the next one need not wait long. */
  noteAnswer(): void {
    this.#consecutiveLosses = 0;
  }

  /** Ends the process, also one that is just being started. Takes no longer than a process to close. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#restartTimer);
    this.#launching?.abort();
    await this.#latest.close();
  }

  #handleLoss(reason: string): void {
    this.#options.log("error", `the engine process exited (${reason})`);
    this.#options.onLost();
    this.#scheduleRestart();
  }

  #scheduleRestart(): void {
    if (this.#closed) return;
    this.#consecutiveLosses += 1;
    this.#restartTimer = setTimeout(() => {
      void this.#relaunch();
    }, restartBackoffMs(this.#consecutiveLosses));
  }

  /** Never rejects. */
  async #relaunch(): Promise<void> {
    // What the former one held has to be free before the next one plans its memory.
    await this.#latest.close();
    if (this.#closed) return;
    this.#launching = new AbortController();
    try {
      const { remote, supervise } = await launch(this.#options, this.#launching.signal);
      if (this.#closed) {
        await remote.close();
        return;
      }
      this.#latest = remote;
      this.#options.onRestored();
      supervise((reason) => this.#handleLoss(reason));
    } catch (error) {
      if (this.#closed) return;
      this.#options.log("error", `the engine cannot be restarted: ${reasonOf(error)}`);
      this.#scheduleRestart();
    } finally {
      this.#launching = undefined;
    }
  }
}

async function launch<Remote>(
  options: Pick<SupervisorOptions<Remote>, "launch">,
  signal: AbortSignal,
): Promise<Launched<Remote>> {
  let earlyLoss: string | undefined;
  let onLost = (reason: string): void => {
    earlyLoss = reason;
  };
  const remote = await options.launch((reason) => onLost(reason), signal);
  return {
    remote,
    supervise(listener) {
      onLost = listener;
      if (earlyLoss !== undefined) listener(earlyLoss);
    },
  };
}

const INITIAL_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;

/**
 * Exponential backoff before an engine is restarted, in milliseconds: an immediate restart would
 * keep reloading a model that crashes repeatedly.
 * @param consecutiveLosses from 1
 */
export function restartBackoffMs(consecutiveLosses: number): number {
  return Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** (consecutiveLosses - 1));
}
