import type { PoolingEngine } from "../core/pooling.js";
import type { ModelHooks } from "../engine/llama/model/loaded-models.js";
import type { PoolingSettings } from "../engine/pooling-engine.js";
import { toErrorRecord } from "./error-record.js";
import { hostModel } from "./model-host.js";
import type { FromPooling, PoolingCommand, PoolingReply, ToPooling } from "./pooling-protocol.js";

export type LoadPooling = (settings: PoolingSettings, hooks: ModelHooks) => Promise<PoolingEngine>;

/** The side of the process boundary at which a pooling model is. */
export class PoolingHost {
  readonly #load: LoadPooling;
  readonly #send: (message: FromPooling) => void;
  #engine: PoolingEngine | undefined;

  constructor(load: LoadPooling, send: (message: FromPooling) => void) {
    this.#load = load;
    this.#send = send;
  }

  /** Handles a message. Never rejects. */
  async receive(message: ToPooling): Promise<void> {
    switch (message.type) {
      case "load":
        this.#engine = await hostModel((hooks) => this.#load(message.settings, hooks), this.#send);
        return;
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
