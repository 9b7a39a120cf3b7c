import type { Engine } from "../core/engine.js";
import type { GenerationEvent } from "../core/generation-event.js";
import { reasonOf } from "../core/reason-of.js";
import type { EngineHooks, EngineSettings } from "../engine/engine-settings.js";
import { toErrorRecord } from "./error-record.js";
import type { EventRecord, FromEngine, ToEngine } from "./protocol.js";

export type LoadEngine = (settings: EngineSettings, hooks: EngineHooks) => Promise<Engine>;

/**
 * The engine's side of the process boundary: does what the daemon says and sends back, in one
 * message for each step, what all generations had to tell.
 */
export class EngineHost {
  readonly #load: LoadEngine;
  readonly #send: (message: FromEngine) => void;
  #engine: Engine | undefined;
  #told: [string, EventRecord][] = [];

  constructor(load: LoadEngine, send: (message: FromEngine) => void) {
    this.#load = load;
    this.#send = send;
  }

  /** Does what a message asks for. Never rejects. */
  async receive(message: ToEngine): Promise<void> {
    switch (message.type) {
      case "load":
        return this.#start(message.settings);
      case "prepare":
        return this.#prepare(message);
      case "start": {
        const { id } = message.prepared;
        this.#engine?.start(message.prepared, (event) => this.#told.push([id, toRecord(event)]));
        return;
      }
      case "cancel":
        this.#engine?.cancel(message.id);
        return;
      case "close":
        await this.#engine?.close();
        this.#flush();
        this.#send({ type: "closed" });
    }
  }

  async #start(settings: EngineSettings): Promise<void> {
    try {
      this.#engine = await this.#load(settings, {
        log: (level, message) => this.#send({ type: "log", level, message }),
        onProgress: (progress) => this.#send({ type: "progress", progress }),
        // In the event loop's next phase the next step is under way in native code already.
        onStepEnd: () => setImmediate(() => this.#flush()),
      });
      this.#send({ type: "loaded", description: this.#engine.description });
    } catch (error) {
      this.#send({ type: "not-loaded", reason: reasonOf(error) });
    }
  }

  async #prepare({ call, request }: Extract<ToEngine, { type: "prepare" }>): Promise<void> {
    try {
      if (this.#engine === undefined) throw new Error("nothing is loaded");
      const prepared = await this.#engine.prepare(request);
      this.#send({ type: "prepared", call, prepared });
    } catch (error) {
      this.#send({ type: "not-prepared", call, error: toErrorRecord(error) });
    }
  }

  #flush(): void {
    if (this.#told.length === 0) return;
    this.#send({ type: "events", events: this.#told });
    this.#told = [];
  }
}

function toRecord(event: GenerationEvent): EventRecord {
  return event.type === "failed" ? { ...event, error: toErrorRecord(event.error) } : event;
}
