import { formatReason } from "../core/format-reason.js";
import type { NativeLog } from "../engine/native/native-errors.js";

/** Callbacks of the owner of a supervised process. */
export interface SupervisionListener {
  /**
   * The process has exited or hangs: all its work has just failed, and all requests fail until
   * `onRestored`.
   */
  readonly onCrash: () => void;
  /** A new process is running; its description may differ from the previous one's. */
  readonly onRestored: () => void;
  /** A restart has failed and will be tried again. */
  readonly onRestartFailed?: ((error: unknown) => void) | undefined;
}

export interface SupervisorOptions<Remote> extends SupervisionListener {
  /**
   * Starts a process, which calls `onCrash` once when it exits or hangs. Aborting `signal` during
   * the start kills it.
   */
  readonly launch: (onCrash: (reason: string) => void, signal: AbortSignal) => Promise<Remote>;
  readonly log: NativeLog;
  /** Aborts the first start. */
  readonly signal?: AbortSignal;
}

/** A started process. `supervise` reports its exit, even one that happened before the call. */
interface LaunchedProcess<Remote> {
  readonly remote: Remote;
  readonly supervise: (onCrash: (reason: string) => void) => void;
}

/**
 * Keeps a process running: restarts it with exponential backoff when it exits or hangs.
 *
 * `close` of the process must resolve when the process is gone, also after a crash, and in bounded
 * time.
 */
export class Supervisor<Remote extends { close(): Promise<void> }> {
  readonly #options: SupervisorOptions<Remote>;
  #latest: Remote;
  /** Number of exits and failed restarts since the last answer. */
  #consecutiveCrashes = 0;
  #restartTimer: NodeJS.Timeout | undefined;
  /** Aborts the restart in progress. */
  #launchController: AbortController | undefined;
  #closed = false;

  private constructor(options: SupervisorOptions<Remote>, first: Remote) {
    this.#options = options;
    this.#latest = first;
  }

  /**
   * Starts the process.
   * @throws {StartupError} when the first start fails, which the operator has to fix
   */
  static async start<Remote extends { close(): Promise<void> }>(
    options: SupervisorOptions<Remote>,
  ): Promise<Supervisor<Remote>> {
    const { remote, supervise } = await launch(
      options,
      options.signal ?? new AbortController().signal,
    );
    const supervisor = new Supervisor(options, remote);
    supervise((reason) => supervisor.#handleCrash(reason));
    return supervisor;
  }

  /** The most recent process, running or not; a process that has exited rejects all calls. */
  get latest(): Remote {
    return this.#latest;
  }

  /** Resets the backoff: the process has answered a request, so it works. */
  noteAnswer(): void {
    this.#consecutiveCrashes = 0;
  }

  /**
   * Closes the process, including one that is still starting. Takes no longer than closing the
   * process does.
   */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#restartTimer);
    this.#launchController?.abort();
    await this.#latest.close();
  }

  #handleCrash(reason: string): void {
    this.#options.log("error", `the engine process exited (${reason})`);
    this.#options.onCrash();
    this.#scheduleRestart();
  }

  #scheduleRestart(): void {
    if (this.#closed) return;
    this.#consecutiveCrashes += 1;
    this.#restartTimer = setTimeout(() => {
      void this.#relaunch();
    }, restartBackoffMs(this.#consecutiveCrashes));
  }

  /** Starts the next process. Never rejects. */
  async #relaunch(): Promise<void> {
    // The previous process's memory must be free before the next one plans its memory.
    await this.#latest.close();
    if (this.#closed) return;
    this.#launchController = new AbortController();
    try {
      const { remote, supervise } = await launch(this.#options, this.#launchController.signal);
      if (this.#closed) {
        await remote.close();
        return;
      }
      this.#latest = remote;
      this.#options.onRestored();
      supervise((reason) => this.#handleCrash(reason));
    } catch (error) {
      if (this.#closed) return;
      this.#options.log("error", `the engine cannot be restarted: ${formatReason(error)}`);
      this.#options.onRestartFailed?.(error);
      this.#scheduleRestart();
    } finally {
      this.#launchController = undefined;
    }
  }
}

async function launch<Remote>(
  options: Pick<SupervisorOptions<Remote>, "launch">,
  signal: AbortSignal,
): Promise<LaunchedProcess<Remote>> {
  let earlyCrash: string | undefined;
  let onCrash = (reason: string): void => {
    earlyCrash = reason;
  };
  const remote = await options.launch((reason) => onCrash(reason), signal);
  return {
    remote,
    supervise(listener) {
      onCrash = listener;
      if (earlyCrash !== undefined) listener(earlyCrash);
    },
  };
}

const INITIAL_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;

/**
 * Returns the exponential backoff before a restart of an engine, in milliseconds. An immediate
 * restart would keep reloading a model that crashes repeatedly.
 * @param consecutiveCrashes number of exits in a row, from 1
 */
export function restartBackoffMs(consecutiveCrashes: number): number {
  return Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** (consecutiveCrashes - 1));
}
