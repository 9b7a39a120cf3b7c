import type { Engine } from "../core/engine.js";
import type { GenerationEvent } from "../core/generation-event.js";
import type { PreparedGeneration } from "../core/generation-request.js";
import type { EngineHooks, EngineSettings } from "../engine/engine-settings.js";
import type { NativeThreads } from "../engine/llama/native-threads.js";
import { toErrorRecord } from "./error-record.js";
import { hostModel } from "./model-host.js";
import { PacedReport } from "./paced-report.js";
import type {
  EngineMethods,
  EventRecord,
  FromEngine,
  GenerationRecord,
  ToEngine,
} from "./protocol.js";
import { answerCall, type CallMessage } from "./rpc.js";

type StartArgs = Parameters<EngineMethods["start"]>;

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

  /** Handles a message. Rejects only where one fails that nobody waits for: that ends the process. */
  async receive(message: ToEngine): Promise<void> {
    switch (message.type) {
      case "load":
        this.#engine = await this.#start(message.settings);
        return this.#sendStatistics();
      case "ping":
        return this.#send({ type: "pong", advances: this.#steps });
      case "call":
        return this.#answer(message);
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

  async #answer(call: CallMessage): Promise<void> {
    if (call.method === "start") return this.#startGeneration(...(call.args as StartArgs));
    const answer = await answerCall(call, () => this.#loaded);
    if (answer !== undefined) this.#send(answer);
  }

  /** Its events wait for those of the same step. */
  #startGeneration(prepared: PreparedGeneration): void {
    this.#loaded.start(prepared, (event, tokens) =>
      this.#pendingEvents.push([prepared.id, toRecord(event), tokens]),
    );
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
