import { preloadCpuBackend } from "../engine/devices/choose-backend.js";
import type { EngineHooks, EngineSettings } from "../engine/engine-settings.js";
import type { LlamaEngine } from "../engine/llama-engine.js";
import type { NativeThreads } from "../engine/native/native-threads.js";
import { type HostHooks, ModelHost } from "./model-host.js";
import type { FromEngine, ToEngine } from "./protocol.js";

/** Members of the engine that the host uses itself; the daemon calls other methods by name. */
type HostedEngine = Pick<LlamaEngine, "description" | "statistics" | "close">;

export type LoadEngine = (settings: EngineSettings, hooks: EngineHooks) => Promise<HostedEngine>;

/**
 * The engine's side of the process boundary: executes the daemon's messages and sends the events of
 * all generations back in one report per step.
 */
export class EngineHost {
  readonly #host: ModelHost<EngineSettings, HostedEngine>;
  readonly #send: (message: FromEngine) => void;
  readonly #nativeThreads: NativeThreads;
  #statisticsReport: ThrottledReport | undefined;

  constructor(load: LoadEngine, send: (message: FromEngine) => void, nativeThreads: NativeThreads) {
    this.#send = send;
    this.#nativeThreads = nativeThreads;
    this.#host = new ModelHost({
      load: (settings, hooks) => load(settings, this.#createEngineHooks(hooks)),
      send,
      onLoaded: (engine) => this.#reportStatistics(engine),
    });
  }

  /** See {@link ModelHost.receive}. */
  receive(message: ToEngine): Promise<void> {
    return message.type === "prepare-loading"
      ? preloadCpuBackend(message.gpu)
      : this.#host.receive(message);
  }

  #createEngineHooks(hooks: HostHooks): EngineHooks {
    return {
      ...hooks,
      onOffloading: (offloading) => {
        if (offloading !== "all-layers" || this.#nativeThreads === "several") return;
        this.#send({ type: "needs-threads" });
      },
      onStepEnd: ({ generations }) => {
        if (generations > 0) hooks.onBatchEnd();
        this.#statisticsReport?.noteChange();
      },
    };
  }

  #reportStatistics(engine: HostedEngine): void {
    const report = () => {
      const { statistics } = engine;
      if (statistics !== undefined) this.#send({ type: "statistics", statistics });
    };
    report();
    this.#statisticsReport = new ThrottledReport(report);
  }
}

const REPORT_INTERVAL_MS = 1000;

/**
 * Sends a report one second after a change: at most one report per second, and one after the last
 * change.
 */
export class ThrottledReport {
  readonly #send: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: () => void) {
    this.#send = send;
  }

  /** Schedules a report, unless one is scheduled already. */
  noteChange(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#send();
    }, REPORT_INTERVAL_MS).unref();
  }
}
