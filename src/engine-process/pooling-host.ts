import type { PoolingEngine } from "../core/pooling.js";
import type { PoolingHooks, PoolingSettings } from "../engine/pooling-engine.js";
import { toErrorRecord } from "./error-record.js";
import { hostModel } from "./model-host.js";
import type { FromPooling, PoolingCommand, PoolingReply, ToPooling } from "./pooling-protocol.js";

export type LoadPooling = (
  settings: PoolingSettings,
  hooks: PoolingHooks,
) => Promise<PoolingEngine>;

/** The side of the process boundary at which a pooling model is. */
export class PoolingHost {
  readonly #load: LoadPooling;
  readonly #send: (message: FromPooling) => void;
  #engine: PoolingEngine | undefined;
  #batches = 0;

  constructor(load: LoadPooling, send: (message: FromPooling) => void) {
    this.#load = load;
    this.#send = send;
  }

  /** Handles a message. Never rejects. */
  async receive(message: ToPooling): Promise<void> {
    switch (message.type) {
      case "load":
        this.#engine = await this.#start(message.settings);
        return;
      case "ping":
        return this.#send({ type: "pong", advances: this.#batches });
      case "pool":
      case "ask":
        return this.#send(await this.#answer(message));
      case "cancel":
        this.#engine?.cancel(message.id);
        return;
      case "close":
        await this.#engine?.close();
        this.#send({ type: "closed" });
    }
  }

  #start(settings: PoolingSettings): Promise<PoolingEngine | undefined> {
    const onBatchEnd = () => {
      this.#batches += 1;
    };
    return hostModel((hooks) => this.#load(settings, { ...hooks, onBatchEnd }), this.#send);
  }

  async #answer(call: Exclude<PoolingCommand, { type: "cancel" }>): Promise<PoolingReply> {
    const { callId, type } = call;
    try {
      if (this.#engine === undefined) throw new Error("nothing is loaded");
      if (type === "pool") {
        return { type: "pooled", callId, answer: await this.#engine.pool(call.request) };
      }
      return { type: "answered", callId, answer: await this.#engine.ask(call.question) };
    } catch (error) {
      const failed = type === "pool" ? "not-pooled" : "not-answered";
      return { type: failed, callId, error: toErrorRecord(error) };
    }
  }
}
