import { settlesWithin } from "../core/settles-within.js";
import { OtherKindError, StartupError } from "../core/startup-error.js";
import type { ModelHooks } from "../engine/loading/loaded-models.js";
import type { NativeThreads } from "../engine/native/native-threads.js";
import type { Channel, ChannelListener } from "./process-channel.js";
import { isModelReport, type ModelCommand, type ModelReport } from "./protocol.js";
import { type CallName, engineLost, RemoteCalls } from "./rpc.js";
import { type Answering, Watchdog, type Work } from "./watchdog.js";

/** Starts a process that is to hold a model. */
export type OpenModelProcess<Settings, Description, Notification> = (
  listener: ChannelListener<ModelReport<Description> | Notification>,
  nativeThreads: NativeThreads,
) => Channel<ModelCommand<Settings>>;

export interface ModelProcessOptions<Settings, Description, Notification> {
  readonly open: OpenModelProcess<Settings, Description, Notification>;
  readonly settings: Settings;
  readonly hooks: Pick<ModelHooks, "log" | "onProgress">;
  /** Seconds without an advance after which the process is taken for hung, and killed; 0: never. @default 60 */
  readonly watchdogSeconds?: number;
  /** Aborted while the model is loaded: the process is killed, and nothing is loaded. */
  readonly signal?: AbortSignal;
  /**
   * Called once, when the process is lost: it has exited, it hangs, or nothing succeeds in it. All that it was doing
   * has been failed before.
   */
  readonly onLost: (reason: string) => void;
}

/** How long a process may take to acknowledge that it is to close: one of its answers takes no longer. */
const ACKNOWLEDGEMENT_LIMIT_MS = 3000;
/**
 * How long it may take to close: time for the last step, and for saving some GiB of states to a disk. What is not
 * saved is evaluated again; who manages services rarely waits longer after the drain.
 */
const CLOSING_LIMIT_MS = 10_000;
/** How long a killed process may take to disappear: the system frees its memory, on the GPU as well. */
const EXIT_LIMIT_MS = 5000;

/** What its owner does with what comes from the process. */
export interface ModelProcessListener<Notification> {
  /** What the process is to load, as its errors name it: `model PATH`. */
  readonly subject: string;
  /** What only processes of its kind say. */
  readonly onNotification: (notification: Notification) => void;
  /** The process has ended, for any reason, and all calls have failed: what else it was doing is lost. Called before `onLost`. */
  readonly onEnd: (reason: string) => void;
  /**
   * What the process has to do at the moment.
   * @param advances changes with the steps or batches that it evaluates: it tells of their number with its signs of
   *   life, and of events at once
   */
  readonly work: (advances: number) => readonly Work[];
}

/**
 * A process that holds a model, from its start to its exit.
 * @typeParam Methods what it can be asked and told, see `rpc.ts`
 * @typeParam Notification what it sends unasked
 */
export class ModelProcess<
  Settings,
  Description,
  Methods,
  Notification extends { readonly type: string },
> {
  readonly #options: ModelProcessOptions<Settings, Description, Notification>;
  readonly #listener: ModelProcessListener<Notification>;
  /** Rejects with a {@link StartupError} that has the process's own message. */
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

  /** Starts the process and has it load the model; {@link loaded} tells when it has. */
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
      onHang: (seen) => this.#kill(`killed: ${seen}`),
    });
    this.#channel = this.#open("one");
    options.signal?.addEventListener("abort", () => this.#kill("the server stops"));
  }

  get description(): Description {
    if (this.#description === undefined) throw new Error("the model is not loaded");
    return this.#description;
  }

  /** Whether the model is loaded and its process runs. */
  get isRunning(): boolean {
    return this.#state === "running";
  }

  /** @throws {GgufdError} what the method throws, or `model_unavailable` while the process does not run */
  call: RemoteCalls<Methods>["call"] = (method, ...args) =>
    this.isRunning ? this.#calls.call(method, ...args) : Promise.reject(engineLost());

  /**
   * Calls a method that tells a listener what happens. While the process does not run nothing is told.
   * @returns ends listening
   */
  listen: RemoteCalls<Methods>["listen"] = (method, ...args) =>
    this.isRunning ? this.#calls.listen(method, ...args) : () => undefined;

  /** Calls a method that is not answered; without effect while the process does not run. */
  notify: RemoteCalls<Methods>["notify"] = (method, ...args) => {
    if (this.isRunning) this.#calls.notify(method, ...args);
  };

  /** What it was asked and has not answered, for the watchdog. */
  workOf(methods: readonly CallName<Methods>[]): Answering {
    return { inFlight: this.#calls.inFlight(methods), answered: this.#calls.answered(methods) };
  }

  /**
   * Has the process close what it holds, and ends it: in any case, and in bounded time, whatever the process does.
   * Resolves when it is gone, also after its loss. Never rejects.
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

  /** Starts the process; what comes of an earlier one is ignored from then on. */
  #open(nativeThreads: NativeThreads): Channel<ModelCommand<Settings>> {
    const ifCurrent =
      <Value>(handle: (value: Value) => void) =>
      (value: Value) => {
        if (channel === this.#channel) handle(value);
      };
    const channel: Channel<ModelCommand<Settings>> = this.#options.open(
      {
        onMessage: ifCurrent((message) => this.#receive(message, nativeThreads)),
        onEnd: ifCurrent((reason) => {
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
    // Nothing but its log counts any more once the process is lost.
    if (this.#state === "ended" && message.type !== "log") return;
    this.#watchdog.noteMessage();
    if (isModelReport(message)) this.#note(message, nativeThreads);
    else this.#listener.onNotification(message);
  }

  #note(report: ModelReport<Description>, nativeThreads: NativeThreads): void {
    switch (report.type) {
      case "needs-threads": {
        if (nativeThreads === "several") break;
        const former = this.#channel;
        this.#channel = this.#open("several");
        former.kill();
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
        this.#onNotLoaded(
          report.kind === undefined
            ? new StartupError(report.reason)
            : new OtherKindError(report.kind, report.reason),
        );
        this.#channel.kill();
        break;
      case "returned":
      case "threw":
        this.#calls.end(report);
        break;
      case "events":
        this.#eventMessages += 1;
        this.#calls.tell(report);
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

  /** Ends the process at once. What it was doing is lost at once too: its exit may take a while. */
  #kill(reason: string): void {
    this.#channel.kill();
    this.#end(reason);
  }

  #end(reason: string): void {
    const previousState = this.#state;
    if (previousState === "ended") return;
    this.#state = "ended";
    this.#watchdog.stop();
    this.#calls.fail();
    this.#listener.onEnd(reason);
    this.#onNotLoaded(
      new StartupError(
        `${this.#listener.subject}: cannot be loaded: its process has ended: ${reason}`,
      ),
    );
    if (previousState === "running") this.#options.onLost(reason);
  }
}
