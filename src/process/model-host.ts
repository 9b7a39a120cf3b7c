import { formatReason } from "../core/format-reason.js";
import { OtherKindError, WorkerError } from "../core/startup-error.js";
import type { ModelHooks } from "../engine/loading/loaded-models.js";
import type { ListenerEvent } from "./event-frames.js";
import { toFrames } from "./event-frames.js";
import type { ModelCommand, ModelReport } from "./protocol.js";
import { answerCall } from "./rpc.js";

/** Members of a model that the host uses; the daemon calls other methods by name. */
interface HostedModel {
  readonly description: unknown;
  close(): Promise<void>;
}

/** Callbacks during and after the loading of a model. */
export interface HostHooks extends ModelHooks {
  /** To be called after each batch or step in which something was evaluated. */
  readonly onBatchEnd: () => void;
}

export interface ModelHostOptions<Settings, Model extends HostedModel> {
  readonly load: (settings: Settings, hooks: HostHooks) => Promise<Model>;
  readonly send: (report: ModelReport<Model["description"]>) => void;
  /** Called after the daemon was notified that the model is loaded. */
  readonly onLoaded?: (model: Model) => void;
}

/** The model's side of the process boundary: loads the model and executes the daemon's messages. */
export class ModelHost<Settings, Model extends HostedModel> {
  readonly #options: ModelHostOptions<Settings, Model>;
  #model: Model | undefined;
  #batches = 0;
  #events: ListenerEvent[] = [];

  constructor(options: ModelHostOptions<Settings, Model>) {
    this.#options = options;
  }

  /**
   * Handles a message. Rejects only if a call fails whose caller expects no answer; the rejection
   * ends the process.
   */
  async receive(message: ModelCommand<Settings>): Promise<void> {
    const { send, onLoaded } = this.#options;
    switch (message.type) {
      case "load":
        this.#model = await this.#load(message.settings);
        if (this.#model !== undefined) onLoaded?.(this.#model);
        return;
      case "ping":
        return send({ type: "pong", advances: this.#batches });
      case "call": {
        const answer = await answerCall(
          message,
          () => this.#loadedModel,
          (event) => this.#report(event),
        );
        if (answer !== undefined) send(answer);
        return;
      }
      case "close":
        await this.#model?.close();
        this.#flush();
        send({ type: "closed" });
    }
  }

  /**
   * Queues an event for a listener. Events of the same tick, such as those of one step, are sent as
   * one report.
   */
  #report(event: ListenerEvent): void {
    if (this.#events.length === 0) queueMicrotask(() => this.#flush());
    this.#events.push(event);
  }

  #flush(): void {
    if (this.#events.length === 0) return;
    this.#options.send({ type: "events", ...toFrames(this.#events) });
    this.#events = [];
  }

  get #loadedModel(): Model {
    if (this.#model === undefined) throw new Error("nothing is loaded");
    return this.#model;
  }

  /**
   * Loads the model and reports the progress. Never rejects; resolves with `undefined` if loading
   * fails.
   */
  async #load(settings: Settings): Promise<Model | undefined> {
    const { load, send } = this.#options;
    try {
      const model = await load(settings, {
        log: (level, message) => send({ type: "log", level, message }),
        onProgress: (progress) => send({ type: "progress", progress }),
        onBroken: (reason) => {
          // Send the events of earlier steps first; they are still valid.
          this.#flush();
          send({ type: "broken", reason });
        },
        onBatchEnd: () => {
          this.#batches += 1;
        },
      });
      send({ type: "loaded", description: model.description });
      return model;
    } catch (error) {
      const kind = error instanceof OtherKindError ? { kind: error.kind } : {};
      const worker = error instanceof WorkerError ? { worker: error.worker } : {};
      send({ type: "not-loaded", reason: formatReason(error), ...kind, ...worker });
      return undefined;
    }
  }
}
