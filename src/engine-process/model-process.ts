import { settlesWithin } from "../core/settles-within.js";
import { OtherKindError, StartupError } from "../core/startup-error.js";
import type { ModelHooks } from "../engine/llama/model/loaded-models.js";
import type { NativeThreads } from "../engine/llama/native-threads.js";
import type { Work } from "./hang-detector.js";
import { isModelReport, type ModelCommand, type ModelReport } from "./model-protocol.js";
import type { Channel, ChannelListener } from "./process-channel.js";
import { Watchdog } from "./watchdog.js";

/** Starts a process that is to hold a model. */
export type OpenModelProcess<Settings, Description, Command, Answer> = (
  listener: ChannelListener<ModelReport<Description> | Answer>,
  nativeThreads: NativeThreads,
) => Channel<ModelCommand<Settings> | Command>;

export interface ModelProcessOptions<Settings, Description, Command, Answer> {
  readonly open: OpenModelProcess<Settings, Description, Command, Answer>;
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

/** How long a process may take to show that it has heard that it is to close: one of its answers is no longer. */
const HEARING_LIMIT_MS = 3000;
/**
 * How long it may take to close: time for the last step, and for saving some GiB of states to a disk. What is not
 * saved is evaluated again; who manages services rarely waits longer after the drain.
 */
const CLOSING_LIMIT_MS = 10_000;
/** How long a killed process may take to disappear: the system frees its memory, on the GPU as well. */
const EXIT_LIMIT_MS = 5000;

/** What its owner does with what comes from the process. */
export interface ModelProcessListener<Answer> {
  /** What the process is to load, as its errors name it: `model PATH`. */
  readonly subject: string;
  readonly onAnswer: (answer: Answer) => void;
  /** The process has ended, for any reason: what it was doing is lost. Called before `onLost`. */
  readonly onEnd: () => void;
  /**
   * What the process has to do at the moment.
   * @param advances steps or batches that it has evaluated, as it has told last
   */
  readonly work: (advances: number) => readonly Work[];
}

/** A process that holds a model, from its start to its exit. */
export class ModelProcess<
  Settings,
  Description,
  Command extends { readonly type: string },
  Answer extends { readonly type: string },
> {
  readonly #options: ModelProcessOptions<Settings, Description, Command, Answer>;
  readonly #listener: ModelProcessListener<Answer>;
  /** Rejects with a {@link StartupError} that has the process's own message. */
  readonly loaded: Promise<void>;
  #channel: Channel<ModelCommand<Settings> | Command>;
  #state: "loading" | "running" | "closing" | "ended" = "loading";
  #description: Description | undefined;
  #onLoaded: () => void = () => undefined;
  #onNotLoaded: (error: StartupError) => void = () => undefined;
  readonly #watchdog: Watchdog;
  #advances = 0;
  /** Called when the process has shown that it hears. */
  #onHeard: () => void = () => undefined;
  #onExited: () => void = () => undefined;
  readonly #exited = new Promise<void>((resolve) => {
    this.#onExited = resolve;
  });
  #closed: Promise<void> | undefined;

  /** Starts the process and has it load the model; {@link loaded} tells when it has. */
  constructor(
    options: ModelProcessOptions<Settings, Description, Command, Answer>,
    listener: ModelProcessListener<Answer>,
  ) {
    this.#options = options;
    this.#listener = listener;
    this.loaded = new Promise((resolve, reject) => {
      this.#onLoaded = resolve;
      this.#onNotLoaded = reject;
    });
    this.#watchdog = new Watchdog({
      limitSeconds: options.watchdogSeconds,
      work: () => listener.work(this.#advances),
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

  send(command: Command): void {
    this.#channel.send(command);
    this.#watchdog.watch();
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
      const heard = new Promise<void>((resolve) => {
        this.#onHeard = resolve;
      });
      this.#channel.send({ type: "ping" });
      this.#channel.send({ type: "close" });
      if (await settlesWithin(Promise.race([heard, this.#exited]), HEARING_LIMIT_MS)) {
        await settlesWithin(this.#exited, CLOSING_LIMIT_MS);
      }
      this.#channel.kill();
    }
    await settlesWithin(this.#exited, EXIT_LIMIT_MS);
    this.#end("closed");
  }

  /** Starts the process; what comes of an earlier one is ignored from then on. */
  #open(nativeThreads: NativeThreads): Channel<ModelCommand<Settings> | Command> {
    const ifCurrent =
      <Value>(handle: (value: Value) => void) =>
      (value: Value) => {
        if (channel === this.#channel) handle(value);
      };
    const channel: Channel<ModelCommand<Settings> | Command> = this.#options.open(
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

  #receive(message: ModelReport<Description> | Answer, nativeThreads: NativeThreads): void {
    // Nothing but its log counts any more once the process is lost.
    if (this.#state === "ended" && message.type !== "log") return;
    this.#watchdog.noteMessage();
    if (isModelReport(message)) this.#note(message, nativeThreads);
    else this.#listener.onAnswer(message);
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
      case "pong":
        this.#advances = report.advances;
        this.#onHeard();
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
    this.#listener.onEnd();
    this.#onNotLoaded(
      new StartupError(
        `${this.#listener.subject}: cannot be loaded: its process has ended: ${reason}`,
      ),
    );
    if (previousState === "running") this.#options.onLost(reason);
  }
}
