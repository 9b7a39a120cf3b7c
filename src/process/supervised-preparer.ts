import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import type { PreparerSettings } from "../engine/prompt-preparer.js";
import { callsOf } from "./hang-detector.js";
import type { FromPreparer, PreparerMethods, ToPreparer } from "./preparer-protocol.js";
import type { Channel, ChannelListener } from "./process-channel.js";
import { restartBackoffMs } from "./restart-backoff.js";
import { RemoteCalls } from "./rpc.js";
import { Watchdog } from "./watchdog.js";

export type OpenPreparer = (listener: ChannelListener<FromPreparer>) => Channel<ToPreparer>;

export interface SupervisedPreparerOptions {
  readonly open: OpenPreparer;
  readonly settings: PreparerSettings;
  /** See {@link WatchdogOptions.limitSeconds}. */
  readonly watchdogSeconds?: number | undefined;
  /** The process has exited, or hangs and was killed; it is started again. */
  readonly onLost: (reason: string) => void;
}

/**
 * The process is started so long after its model, unless it is wanted before: loading takes a core for a second, and a
 * server that has just become ready has better use for it.
 */
const START_AFTER_MS = 5000;

const METHODS = ["prepare", "ask"] as const;

/**
 * A process that prepares prompts, restarted with backoff when it exits. Calls in flight fail then: a
 * prompt that has ended this process must not be tried in the engine's.
 */
export class SupervisedPreparer {
  readonly #options: SupervisedPreparerOptions;
  /** `undefined`: it has not been started yet. */
  #channel: Channel<ToPreparer> | undefined;
  #state: "not-started" | "loading" | "ready" | "lost" | "closed" = "not-started";
  readonly #calls = new RemoteCalls<PreparerMethods>((call) => {
    this.#channel?.send(call);
    this.#watchdog.watch();
  });
  readonly #watchdog: Watchdog;
  #consecutiveLosses = 0;
  #startTimer: NodeJS.Timeout;

  constructor(options: SupervisedPreparerOptions) {
    this.#options = options;
    this.#watchdog = new Watchdog({
      limitSeconds: options.watchdogSeconds,
      work: () => {
        const inFlight = this.#calls.inFlight(METHODS);
        return [callsOf({ inFlight, answered: this.#calls.answered(METHODS) })];
      },
      ping: () => this.#channel?.send({ type: "ping" }),
      onHang: (seen) => {
        this.#channel?.kill();
        this.#end(`killed: ${seen}`);
      },
    });
    this.#startTimer = setTimeout(() => this.start(), START_AFTER_MS).unref();
  }

  /** Starts the process, if it has not been started yet. */
  start(): void {
    if (this.#state === "not-started") this.#launch();
  }

  /** Whether it can prepare prompts now. */
  get isReady(): boolean {
    return this.#state === "ready";
  }

  /** @throws {GgufdError} of the prompt, or `model_unavailable` when the process exits */
  prepare(request: GenerationRequest): Promise<PreparedGeneration> {
    return this.#calls.call("prepare", request);
  }

  /** @throws {GgufdError} of the question, or `model_unavailable` when the process exits */
  ask(question: TextQuestion): Promise<TextAnswer> {
    return this.#calls.call("ask", question);
  }

  /** Ends the process; calls in flight fail. */
  close(): void {
    this.#state = "closed";
    this.#watchdog.stop();
    clearTimeout(this.#startTimer);
    this.#channel?.kill();
    this.#calls.fail();
  }

  #launch(): void {
    clearTimeout(this.#startTimer);
    this.#state = "loading";
    this.#channel = this.#open();
  }

  #open(): Channel<ToPreparer> {
    const channel: Channel<ToPreparer> = this.#options.open({
      onMessage: (message) => {
        if (channel === this.#channel) this.#receive(message);
      },
      onEnd: (reason) => {
        if (channel === this.#channel) this.#end(reason);
      },
    });
    channel.send({ type: "load", settings: this.#options.settings });
    return channel;
  }

  #receive(message: FromPreparer): void {
    if (this.#state === "lost" || this.#state === "closed") return;
    this.#watchdog.noteMessage();
    switch (message.type) {
      case "loaded":
        this.#state = "ready";
        this.#channel?.showOutput();
        break;
      case "pong":
        break;
      case "returned":
        this.#consecutiveLosses = 0;
        this.#calls.end(message);
        break;
      case "threw":
        this.#calls.end(message);
    }
  }

  #end(reason: string): void {
    if (this.#state === "closed" || this.#state === "lost") return;
    this.#state = "lost";
    this.#watchdog.stop();
    this.#calls.fail();
    this.#options.onLost(reason);
    this.#consecutiveLosses += 1;
    this.#startTimer = setTimeout(() => this.#launch(), restartBackoffMs(this.#consecutiveLosses));
  }
}
