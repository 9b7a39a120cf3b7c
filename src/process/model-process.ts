import { createEngineExitedError } from "../core/errors.js";
import { settlesWithin } from "../core/settles-within.js";
import {
  OtherKindError,
  ProcessEndedError,
  StartupError,
  WorkerError,
} from "../core/startup-error.js";
import type { ModelHooks } from "../engine/loading/loaded-models.js";
import type { NativeThreads } from "../engine/native/native-threads.js";
import type { Channel, ChannelListener } from "./process-channel.js";
import {
  isModelReport,
  type LoadFailureReport,
  type ModelCommand,
  type ModelReport,
} from "./protocol.js";
import { type CallName, RemoteCalls } from "./rpc.js";
import { type CallCounts, Watchdog, type Work } from "./watchdog.js";

/** Starts a process that will hold a model. */
export type OpenModelProcess<Settings, Description, Notification> = (
  listener: ChannelListener<ModelReport<Description> | Notification>,
  nativeThreads: NativeThreads,
) => Channel<ModelCommand<Settings>>;

export interface ModelProcessOptions<Settings, Description, Notification> {
  readonly open: OpenModelProcess<Settings, Description, Notification>;
  readonly settings: Settings;
  readonly hooks: Pick<ModelHooks, "log" | "onProgress">;
  /**
   * Seconds without progress after which the process is considered hung and killed; 0: never.
   * @default 60
   */
  readonly watchdogSeconds?: number;
  /** Aborting while the model is loading kills the process; nothing is loaded. */
  readonly signal?: AbortSignal;
  /**
   * Called once, when the process has exited, hangs, or reports that it is broken. All its work has
   * already failed by then.
   */
  readonly onCrash: (reason: string) => void;
}

/**
 * Maximum time to acknowledge a close request, in milliseconds: no single answer of the process
 * takes longer.
 */
const ACKNOWLEDGEMENT_LIMIT_MS = 3000;
/**
 * Maximum time to close, in milliseconds: enough for the last step and for saving some GiB of slot
 * states to disk. States that are not saved have to be evaluated again; service managers rarely
 * wait longer after the drain.
 */
const CLOSING_LIMIT_MS = 10_000;
/**
 * Maximum time for a killed process to disappear, in milliseconds: the system frees its memory,
 * including GPU memory.
 */
const EXIT_LIMIT_MS = 5000;

/** Callbacks of the owner of a model process. */
export interface ModelProcessListener<Notification> {
  /** Subject of error messages: `model PATH`. */
  readonly subject: string;
  /** Receives the messages that only this kind of process sends. */
  readonly onNotification: (notification: Notification) => void;
  /**
   * The process has exited, for any reason, and all calls have failed. The owner fails its other
   * work. Called before `onCrash`.
   */
  readonly onEnd: (reason: string) => void;
  /**
   * Returns the current work of the process.
   * @param advances changes with each evaluated step or batch: the process reports their number
   *   with its pongs, and events at once
   */
  readonly work: (advances: number) => readonly Work[];
}

/**
 * A process that holds a model, from its start to its exit.
 * @typeParam Methods methods that can be called in it, see `rpc.ts`
 * @typeParam Notification unsolicited messages of the process
 */
export class ModelProcess<
  Settings,
  Description,
  Methods,
  Notification extends { readonly type: string },
> {
  readonly #options: ModelProcessOptions<Settings, Description, Notification>;
  readonly #listener: ModelProcessListener<Notification>;
  /**
   * Resolves when the model is loaded; rejects with a {@link StartupError} that has the process's
   * own message.
   */
  readonly loaded: Promise<void>;
  #channel: Channel<ModelCommand<Settings>>;
  readonly #calls = new RemoteCalls<Methods>((message) => {
    this.#channel.send(message);
    this.#watchdog.watch();
  });
  #state: "loading" | "running" | "closing" | "ended" = "loading";
  #description: Description | undefined;
  #onLoaded: () => void = () => undefined;
  #onNotLoaded: (error: StartupError) => void = () => undefined;
  readonly #watchdog: Watchdog;
  #advances = 0;
  #eventMessages = 0;
  /** Called when the process has answered a ping. */
  #onAcknowledged: () => void = () => undefined;
  #onExited: () => void = () => undefined;
  readonly #exited = new Promise<void>((resolve) => {
    this.#onExited = resolve;
  });
  #closed: Promise<void> | undefined;

  /** Starts the process and makes it load the model; {@link loaded} settles when that is done. */
  constructor(
    options: ModelProcessOptions<Settings, Description, Notification>,
    listener: ModelProcessListener<Notification>,
  ) {
    this.#options = options;
    this.#listener = listener;
    this.loaded = new Promise((resolve, reject) => {
      this.#onLoaded = resolve;
      this.#onNotLoaded = reject;
    });
    this.#watchdog = new Watchdog({
      limitSeconds: options.watchdogSeconds,
      work: () => listener.work(this.#advances + this.#eventMessages),
      ping: () => this.#channel.send({ type: "ping" }),
      onHang: (hang) => this.#kill(`killed: ${hang}`),
    });
    this.#channel = this.#open("one");
    options.signal?.addEventListener("abort", () => this.#kill("loading was cancelled"));
  }

  get description(): Description {
    if (this.#description === undefined) throw new Error("the model is not loaded");
    return this.#description;
  }

  /** Whether the model is loaded and its process runs. */
  get isRunning(): boolean {
    return this.#state === "running";
  }

  /**
   * Calls a method.
   * @throws {GgufdError} the method's error, or `model_unavailable` while the process is not
   *   running
   */
  call: RemoteCalls<Methods>["call"] = (method, ...args) =>
    this.isRunning ? this.#calls.call(method, ...args) : Promise.reject(createEngineExitedError());

  /**
   * Calls a method that reports events to a listener. Without effect while the process is not
   * running.
   * @returns unsubscribes the listener
   */
  listen: RemoteCalls<Methods>["listen"] = (method, ...args) =>
    this.isRunning ? this.#calls.listen(method, ...args) : () => undefined;

  /** Calls a method that returns no answer; without effect while the process is not running. */
  notify: RemoteCalls<Methods>["notify"] = (method, ...args) => {
    if (this.isRunning) this.#calls.notify(method, ...args);
  };

  /**
   * Returns the numbers of unanswered and answered calls of the given methods, for the watchdog.
   */
  countWork(methods: readonly CallName<Methods>[]): CallCounts {
    return {
      inFlight: this.#calls.countInFlight(methods),
      answered: this.#calls.countAnswered(methods),
    };
  }

  /**
   * Asks the process to release its resources, then kills it; takes bounded time even if the
   * process hangs. Resolves when the process is gone, also after a crash. Never rejects.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    if (this.#state !== "ended") {
      this.#state = "closing";
      this.#watchdog.stop();
      const acknowledged = new Promise<void>((resolve) => {
        this.#onAcknowledged = resolve;
      });
      this.#channel.send({ type: "ping" });
      this.#channel.send({ type: "close" });
      if (
        await settlesWithin(Promise.race([acknowledged, this.#exited]), ACKNOWLEDGEMENT_LIMIT_MS)
      ) {
        await settlesWithin(this.#exited, CLOSING_LIMIT_MS);
      }
      this.#channel.kill();
    }
    await settlesWithin(this.#exited, EXIT_LIMIT_MS);
    this.#end("closed");
  }

  /** Starts a process; messages from an earlier one are ignored from then on. */
  #open(nativeThreads: NativeThreads): Channel<ModelCommand<Settings>> {
    const ignoreIfReplaced =
      <Value>(handle: (value: Value) => void) =>
      (value: Value) => {
        if (channel === this.#channel) handle(value);
      };
    const channel: Channel<ModelCommand<Settings>> = this.#options.open(
      {
        onMessage: ignoreIfReplaced((message) => this.#receive(message, nativeThreads)),
        onEnd: ignoreIfReplaced((reason) => {
          this.#onExited();
          this.#end(reason);
        }),
      },
      nativeThreads,
    );
    channel.send({ type: "load", settings: this.#options.settings });
    return channel;
  }

  #receive(message: ModelReport<Description> | Notification, nativeThreads: NativeThreads): void {
    // After the process has ended, only its log messages are still accepted.
    if (this.#state === "ended" && message.type !== "log") return;
    this.#watchdog.noteMessage();
    if (isModelReport(message)) this.#handleReport(message, nativeThreads);
    else this.#listener.onNotification(message);
  }

  #handleReport(report: ModelReport<Description>, nativeThreads: NativeThreads): void {
    switch (report.type) {
      case "needs-threads": {
        if (nativeThreads === "several") break;
        const formerChannel = this.#channel;
        this.#channel = this.#open("several");
        formerChannel.kill();
        break;
      }
      case "progress":
        this.#options.hooks.onProgress(report.progress);
        break;
      case "log":
        this.#options.hooks.log(report.level, report.message);
        break;
      case "loaded":
        this.#description = report.description;
        this.#state = "running";
        this.#channel.showOutput();
        this.#onLoaded();
        break;
      case "not-loaded":
        this.#state = "closing";
        this.#onNotLoaded(createLoadError(report));
        this.#channel.kill();
        break;
      case "returned":
      case "threw":
        this.#calls.settle(report);
        break;
      case "events":
        this.#eventMessages += 1;
        this.#calls.dispatch(report);
        break;
      case "pong":
        this.#advances = report.advances;
        this.#onAcknowledged();
        break;
      case "broken":
        this.#kill(report.reason);
        break;
      case "closed":
        this.#channel.kill();
    }
  }

  /**
   * Kills the process and fails its work at once, without waiting for the exit, which may take a
   * while.
   */
  #kill(reason: string): void {
    this.#channel.kill();
    this.#end(reason);
  }

  #end(reason: string): void {
    const previousState = this.#state;
    if (previousState === "ended") return;
    this.#state = "ended";
    this.#watchdog.stop();
    this.#calls.failAll();
    this.#listener.onEnd(reason);
    this.#onNotLoaded(
      new ProcessEndedError(
        `${this.#listener.subject}: cannot be loaded: its process has ended: ${reason}`,
      ),
    );
    if (previousState === "running") this.#options.onCrash(reason);
  }
}

function createLoadError({ reason, kind, worker }: LoadFailureReport): StartupError {
  if (kind !== undefined) return new OtherKindError(kind, reason);
  return worker === undefined ? new StartupError(reason) : new WorkerError(worker, reason);
}
