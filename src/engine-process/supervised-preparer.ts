import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import type { PreparerSettings } from "../engine/prompt-preparer.js";
import type { FromPreparer, ToPreparer } from "./preparer-protocol.js";
import type { Channel, ChannelListener } from "./process-channel.js";
import { RemoteCalls } from "./remote-calls.js";
import { restartBackoffMs } from "./restart-backoff.js";

export type OpenPreparer = (listener: ChannelListener<FromPreparer>) => Channel<ToPreparer>;

export interface SupervisedPreparerOptions {
  readonly open: OpenPreparer;
  readonly settings: PreparerSettings;
  /** The process has exited; it is started again. */
  readonly onLost: (reason: string) => void;
}

/**
 * A process that prepares prompts, restarted with backoff when it exits. Calls in flight fail then: a
 * prompt that has ended this process must not be tried in the engine's.
 */
export class SupervisedPreparer {
  readonly #options: SupervisedPreparerOptions;
  #channel: Channel<ToPreparer>;
  #state: "loading" | "ready" | "lost" | "closed" = "loading";
  readonly #calls = new RemoteCalls((call) => this.#channel.send(call));
  #consecutiveLosses = 0;
  #restartTimer: NodeJS.Timeout | undefined;

  constructor(options: SupervisedPreparerOptions) {
    this.#options = options;
    this.#channel = this.#open();
  }

  /** Whether it can prepare prompts now. */
  get isReady(): boolean {
    return this.#state === "ready";
  }

  /** @throws {GgufdError} of the prompt, or `model_unavailable` when the process exits */
  prepare(request: GenerationRequest): Promise<PreparedGeneration> {
    return this.#calls.prepare(request);
  }

  /** @throws {GgufdError} of the question, or `model_unavailable` when the process exits */
  ask(question: TextQuestion): Promise<TextAnswer> {
    return this.#calls.ask(question);
  }

  /** Ends the process; calls in flight fail. */
  close(): void {
    this.#state = "closed";
    clearTimeout(this.#restartTimer);
    this.#channel.kill();
    this.#calls.fail();
  }

  #open(): Channel<ToPreparer> {
    const channel = this.#options.open({
      onMessage: (message) => this.#receive(message),
      onEnd: (reason) => this.#end(reason),
    });
    channel.send({ type: "load", settings: this.#options.settings });
    return channel;
  }

  #receive(message: FromPreparer): void {
    if (message.type === "loaded") {
      this.#state = "ready";
      return;
    }
    if (message.type === "prepared" || message.type === "answered") this.#consecutiveLosses = 0;
    this.#calls.end(message);
  }

  #end(reason: string): void {
    if (this.#state === "closed" || this.#state === "lost") return;
    this.#state = "lost";
    this.#calls.fail();
    this.#options.onLost(reason);
    this.#consecutiveLosses += 1;
    this.#restartTimer = setTimeout(() => {
      this.#state = "loading";
      this.#channel = this.#open();
    }, restartBackoffMs(this.#consecutiveLosses));
  }
}
