import type { PoolingEngine } from "../core/pooling.js";
import type { PoolingHooks, PoolingSettings } from "../engine/pooling-engine.js";
import { hostModel } from "./model-host.js";
import type { FromPooling, ToPooling } from "./pooling-protocol.js";
import { answerCall } from "./rpc.js";

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

  /** Handles a message. Rejects only where one fails that nobody waits for: that ends the process. */
  async receive(message: ToPooling): Promise<void> {
    switch (message.type) {
      case "load":
        this.#engine = await this.#start(message.settings);
        return;
      case "ping":
        return this.#send({ type: "pong", advances: this.#batches });
      case "call": {
        const answer = await answerCall(message, () => this.#loaded);
        if (answer !== undefined) this.#send(answer);
        return;
      }
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

  get #loaded(): PoolingEngine {
    if (this.#engine === undefined) throw new Error("nothing is loaded");
    return this.#engine;
  }
}
