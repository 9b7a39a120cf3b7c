import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import type { PreparerSettings } from "../engine/prompt-preparer.js";
import { engineLost } from "./engine-lost.js";
import { fromErrorRecord } from "./error-record.js";
import type { FromPreparer, ToPreparer } from "./preparer-protocol.js";
import type { Channel, ChannelListener } from "./process-channel.js";
import { restartBackoffMs } from "./restart-backoff.js";

export type OpenPreparer = (listener: ChannelListener<FromPreparer>) => Channel<ToPreparer>;

export interface SupervisedPreparerOptions {
  readonly open: OpenPreparer;
  readonly settings: PreparerSettings;
  /** The process has exited; it is started again. */
  readonly onLost: (reason: string) => void;
}

interface PendingCall {
  readonly resolve: (prepared: PreparedGeneration) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A process that prepares prompts, restarted with backoff when it exits. Calls in flight fail then: a
 * prompt that has ended this process must not be tried in the engine's.
 */
export class SupervisedPreparer {
  readonly #options: SupervisedPreparerOptions;
  #channel: Channel<ToPreparer>;
  #state: "loading" | "ready" | "lost" | "closed" = "loading";
  readonly #calls = new Map<number, PendingCall>();
  #nextCallId = 0;
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
    return new Promise((resolve, reject) => {
      const callId = this.#nextCallId++;
      this.#calls.set(callId, { resolve, reject });
      this.#channel.send({ type: "prepare", callId, request });
    });
  }

  /** Ends the process; calls in flight fail. */
  close(): void {
    this.#state = "closed";
    clearTimeout(this.#restartTimer);
    this.#channel.kill();
    this.#failCalls();
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
    switch (message.type) {
      case "loaded":
        this.#state = "ready";
        break;
      case "prepared":
        this.#consecutiveLosses = 0;
        this.#take(message.callId)?.resolve(message.prepared);
        break;
      case "not-prepared":
        this.#take(message.callId)?.reject(fromErrorRecord(message.error));
    }
  }

  #take(callId: number): PendingCall | undefined {
    const call = this.#calls.get(callId);
    this.#calls.delete(callId);
    return call;
  }

  #failCalls(): void {
    for (const { reject } of this.#calls.values()) reject(engineLost());
    this.#calls.clear();
  }

  #end(reason: string): void {
    if (this.#state === "closed" || this.#state === "lost") return;
    this.#state = "lost";
    this.#failCalls();
    this.#options.onLost(reason);
    this.#consecutiveLosses += 1;
    this.#restartTimer = setTimeout(() => {
      this.#state = "loading";
      this.#channel = this.#open();
    }, restartBackoffMs(this.#consecutiveLosses));
  }
}
