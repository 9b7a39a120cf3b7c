import type { Engine } from "../core/engine.js";
import type { GenerationEvent } from "../core/generation-event.js";
import type { EngineHooks, EngineSettings } from "../engine/engine-settings.js";
import type { NativeThreads } from "../engine/llama/native-threads.js";
import { answerCall } from "./answer-call.js";
import { toErrorRecord } from "./error-record.js";
import { hostModel } from "./model-host.js";
import { PacedReport } from "./paced-report.js";
import type {
  EventRecord,
  FromEngine,
  GenerationRecord,
  SlotCallAnswer,
  SlotCommandCall,
  ToEngine,
} from "./protocol.js";

export type LoadEngine = (settings: EngineSettings, hooks: EngineHooks) => Promise<Engine>;

/**
 * The engine's side of the process boundary: executes the daemon's messages and sends the events of
 * all generations back in one message per step.
 */
export class EngineHost {
  readonly #load: LoadEngine;
  readonly #send: (message: FromEngine) => void;
  readonly #nativeThreads: NativeThreads;
  #engine: Engine | undefined;
  #pendingEvents: GenerationRecord[] = [];
  /** In which something was evaluated. */
  #steps = 0;
  readonly #statistics = new PacedReport(() => this.#sendStatistics());

  constructor(load: LoadEngine, send: (message: FromEngine) => void, nativeThreads: NativeThreads) {
    this.#load = load;
    this.#send = send;
    this.#nativeThreads = nativeThreads;
  }

  /** Handles a message. Never rejects. */
  async receive(message: ToEngine): Promise<void> {
    switch (message.type) {
      case "load":
        this.#engine = await this.#start(message.settings);
        return this.#sendStatistics();
      case "ping":
        return this.#send({ type: "pong", advances: this.#steps });
      case "prepare":
      case "ask":
        return this.#send(await answerCall(message, () => this.#loaded));
      case "start": {
        const { id } = message.prepared;
        this.#engine?.start(message.prepared, (event, tokens) =>
          this.#pendingEvents.push([id, toRecord(event), tokens]),
        );
        return;
      }
      case "slots":
        return this.#send({
          type: "slots-listed",
          callId: message.callId,
          slots: (await this.#engine?.slots()) ?? [],
        });
      case "command":
        return this.#send(await this.#command(message));
      case "cancel":
        this.#engine?.cancel(message.id);
        return;
      case "close":
        await this.#engine?.close();
        this.#flush();
        this.#send({ type: "closed" });
    }
  }

  #start(settings: EngineSettings): Promise<Engine | undefined> {
    return hostModel(
      (hooks) =>
        this.#load(settings, {
          ...hooks,
          onOffloading: (offloading) => {
            if (offloading !== "all-layers" || this.#nativeThreads === "several") return;
            this.#send({ type: "needs-threads" });
          },
          onBroken: (reason) => {
            // What the steps before have said still counts.
            this.#flush();
            hooks.onBroken?.(reason);
          },
          onStepEnd: ({ generations }) => {
            if (generations > 0) this.#steps += 1;
            this.#statistics.noteChange();
            // Deferred to the next event-loop phase, when native code already runs the next step.
            setImmediate(() => this.#flush());
          },
        }),
      this.#send,
    );
  }

  async #command({ callId, command }: SlotCommandCall): Promise<SlotCallAnswer> {
    try {
      return { type: "commanded", callId, outcome: await this.#loaded.command(command) };
    } catch (error) {
      return { type: "not-commanded", callId, error: toErrorRecord(error) };
    }
  }

  get #loaded(): Engine {
    if (this.#engine === undefined) throw new Error("nothing is loaded");
    return this.#engine;
  }

  #sendStatistics(): void {
    const statistics = this.#engine?.statistics;
    if (statistics !== undefined) this.#send({ type: "statistics", statistics });
  }

  #flush(): void {
    if (this.#pendingEvents.length === 0) return;
    this.#send({ type: "events", events: this.#pendingEvents });
    this.#pendingEvents = [];
  }
}

function toRecord(event: GenerationEvent): EventRecord {
  return event.type === "failed" ? { ...event, error: toErrorRecord(event.error) } : event;
}
