import { OtherKindError, StartupError } from "../core/startup-error.js";
import type { ModelHooks } from "../engine/llama/model/loaded-models.js";
import type { NativeThreads } from "../engine/llama/native-threads.js";
import { isModelReport, type ModelCommand, type ModelReport } from "./model-protocol.js";
import type { Channel, ChannelListener } from "./process-channel.js";

/** Starts a process that is to hold a model. */
export type OpenModelProcess<Settings, Description, Command, Answer> = (
  listener: ChannelListener<ModelReport<Description> | Answer>,
  nativeThreads: NativeThreads,
) => Channel<ModelCommand<Settings> | Command>;

export interface ModelProcessOptions<Settings, Description, Command, Answer> {
  readonly open: OpenModelProcess<Settings, Description, Command, Answer>;
  readonly settings: Settings;
  readonly hooks: Pick<ModelHooks, "log" | "onProgress">;
  /** Called when the process exits unexpectedly. */
  readonly onLost: (reason: string) => void;
}

/** What its owner does with what comes from the process. */
export interface ModelProcessListener<Answer> {
  readonly onAnswer: (answer: Answer) => void;
  /** The process has ended, for any reason: what it was doing is lost. Called before `onLost`. */
  readonly onEnd: () => void;
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
  #onClosed: () => void = () => undefined;

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
    this.#channel = this.#open("one");
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
  }

  close(): Promise<void> {
    if (this.#state === "ended") return Promise.resolve();
    this.#state = "closing";
    return new Promise((resolve) => {
      this.#onClosed = resolve;
      this.#channel.send({ type: "close" });
    });
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
        onEnd: ifCurrent((reason) => this.#end(reason)),
      },
      nativeThreads,
    );
    channel.send({ type: "load", settings: this.#options.settings });
    return channel;
  }

  #receive(message: ModelReport<Description> | Answer, nativeThreads: NativeThreads): void {
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
      case "closed":
        this.#channel.kill();
    }
  }

  #end(reason: string): void {
    const previousState = this.#state;
    if (previousState === "ended") return;
    this.#state = "ended";
    this.#listener.onEnd();
    this.#onNotLoaded(new StartupError(`the model's process ended while loading: ${reason}`));
    this.#onClosed();
    if (previousState === "running") this.#options.onLost(reason);
  }
}
