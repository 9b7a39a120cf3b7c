import type { Engine } from "../core/engine.js";
import type { GenerationEvent } from "../core/generation-event.js";
import type { PreparedGeneration } from "../core/generation-request.js";
import type { EngineHooks, EngineSettings } from "../engine/engine-settings.js";
import type { NativeThreads } from "../engine/native/native-threads.js";
import { toErrorRecord } from "./error-record.js";
import { type HostHooks, ModelHost } from "./model-host.js";
import { PacedReport } from "./paced-report.js";
import type {
  EngineMethods,
  EventRecord,
  FromEngine,
  GenerationRecord,
  ToEngine,
} from "./protocol.js";

type StartArgs = Parameters<EngineMethods["start"]>;

export type LoadEngine = (settings: EngineSettings, hooks: EngineHooks) => Promise<Engine>;

/**
 * The engine's side of the process boundary: executes the daemon's messages and sends the events of
 * all generations back in one message per step.
 */
export class EngineHost {
  readonly #host: ModelHost<EngineSettings, Engine>;
  readonly #send: (message: FromEngine) => void;
  readonly #nativeThreads: NativeThreads;
  #pendingEvents: GenerationRecord[] = [];
  #statistics: PacedReport | undefined;

  constructor(load: LoadEngine, send: (message: FromEngine) => void, nativeThreads: NativeThreads) {
    this.#send = send;
    this.#nativeThreads = nativeThreads;
    this.#host = new ModelHost({
      load: (settings, hooks) => load(settings, this.#engineHooks(hooks)),
      send,
      onLoaded: (engine) => this.#reportStatistics(engine),
      onClosed: () => this.#flush(),
    });
  }

  /** See {@link ModelHost.receive}. */
  async receive(message: ToEngine): Promise<void> {
    if (message.type === "call" && message.method === "start") {
      return this.#start(...(message.args as StartArgs));
    }
    return this.#host.receive(message);
  }

  #engineHooks(hooks: HostHooks): EngineHooks {
    return {
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
        if (generations > 0) hooks.onBatchEnd();
        this.#statistics?.noteChange();
        // Deferred to the next event-loop phase, when native code already runs the next step.
        setImmediate(() => this.#flush());
      },
    };
  }

  #reportStatistics(engine: Engine): void {
    const report = () => {
      const { statistics } = engine;
      if (statistics !== undefined) this.#send({ type: "statistics", statistics });
    };
    report();
    this.#statistics = new PacedReport(report);
  }

  /** Its events wait for those of the same step. */
  #start(prepared: PreparedGeneration): void {
    this.#host.model.start(prepared, (event, tokens) =>
      this.#pendingEvents.push([prepared.id, toRecord(event), tokens]),
    );
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
