import type { Engine } from "../../src/core/engine.js";
import type { EngineHooks } from "../../src/engine/engine-settings.js";
import { NO_STEP } from "../../src/engine/step/step-report.js";
import type { ChannelListener, OpenChannel } from "../../src/engine-process/engine-channel.js";
import { EngineHost } from "../../src/engine-process/engine-host.js";
import type { FromEngine, ToEngine } from "../../src/engine-process/protocol.js";

/** One engine process that exists in this process only. */
export interface SimulatedProcess {
  /** All messages it has sent. */
  readonly sent: FromEngine[];
  /** Ends it as a native assertion would. */
  crash(reason: string): void;
  /** Ends the engine's current step: what it has told goes out. */
  endStep(): void;
}

/**
 * Opens engine processes over the engines that `load` gives. Every message is cloned as it would
 * be between processes, and arrives later than it was sent.
 */
export class SimulatedProcesses {
  readonly started: SimulatedProcess[] = [];
  readonly #load: () => Promise<Engine>;

  constructor(load: () => Promise<Engine>) {
    this.#load = load;
  }

  readonly open: OpenChannel = ({ onMessage, onEnd }: ChannelListener) => {
    let alive = true;
    const end = (reason: string) => {
      if (!alive) return;
      alive = false;
      queueMicrotask(() => onEnd(reason));
    };
    const sent: FromEngine[] = [];
    let endStep: EngineHooks["onStepEnd"] = () => {};
    const host = new EngineHost(
      async (_settings, hooks) => {
        endStep = hooks.onStepEnd;
        hooks.onProgress(0.5);
        return this.#load();
      },
      (message) => {
        sent.push(message);
        const arrived = structuredClone(message);
        queueMicrotask(() => alive && onMessage(arrived));
      },
    );
    this.started.push({ sent, crash: end, endStep: () => endStep(NO_STEP) });
    return {
      send(message: ToEngine) {
        const arrived = structuredClone(message);
        queueMicrotask(() => alive && void host.receive(arrived));
      },
      kill: () => end("SIGKILL"),
    };
  };

  /** The process that was started last. */
  get latest(): SimulatedProcess {
    const latest = this.started.at(-1);
    if (latest === undefined) throw new Error("no process was started");
    return latest;
  }
}
