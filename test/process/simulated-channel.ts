import type { Engine, Offloading } from "../../src/core/engine.js";
import type { EngineHooks, EngineSettings } from "../../src/engine/engine-settings.js";
import type { NativeThreads } from "../../src/engine/native/native-threads.js";
import { NO_STEP } from "../../src/engine/step/step-report.js";
import type { OpenChannel } from "../../src/process/engine-channel.js";
import { EngineHost } from "../../src/process/engine-host.js";
import type { FromEngine, ToEngine } from "../../src/process/protocol.js";

/** An engine process simulated in this process. */
export interface SimulatedProcess {
  readonly nativeThreads: NativeThreads;
  /** All messages sent by the process. */
  readonly sent: FromEngine[];
  /** Terminates it as a failed native assertion would. */
  crash(reason: string): void;
  /**
   * Ends the engine's current step, which flushes its events.
   * @param generations that took part in it
   */
  endStep(generations?: number): void;
  /** Reports that batch after batch has failed. */
  breakDown(reason: string): void;
  /**
   * Stops the process as SIGSTOP does: it neither receives nor sends messages, but can be killed.
   */
  freeze(): void;
  hasEnded(): boolean;
  /** Prevents the process from exiting, like one that waits for a driver. */
  makeUndead(): void;
}

/**
 * Opens simulated processes for the engines returned by `load`. Every message is cloned as between
 * real processes and delivered asynchronously.
 */
export class SimulatedProcesses {
  readonly started: SimulatedProcess[] = [];
  readonly #load: (settings: EngineSettings) => Promise<Engine>;

  readonly #offloading: Offloading;

  constructor(
    load: (settings: EngineSettings) => Promise<Engine>,
    offloading: Offloading = "none",
  ) {
    this.#load = load;
    this.#offloading = offloading;
  }

  readonly open: OpenChannel = ({ onMessage, onEnd }, nativeThreads) => {
    let alive = true;
    let isUndead = false;
    let hears = true;
    const end = (reason: string) => {
      if (!alive || isUndead) return;
      alive = false;
      queueMicrotask(() => onEnd(reason));
    };
    const sent: FromEngine[] = [];
    let endStep: EngineHooks["onStepEnd"] = () => {};
    let breakDown: EngineHooks["onBroken"];
    const host = new EngineHost(
      async (settings, hooks) => {
        endStep = hooks.onStepEnd;
        breakDown = hooks.onBroken;
        hooks.onProgress(0.5);
        hooks.onOffloading?.(this.#offloading);
        return this.#load(settings);
      },
      (message) => {
        sent.push(message);
        const received = structuredClone(message);
        queueMicrotask(() => alive && hears && onMessage(received));
      },
      nativeThreads,
    );
    this.started.push({
      nativeThreads,
      sent,
      crash: end,
      endStep: (generations = 0) => endStep({ ...NO_STEP, generations }),
      breakDown: (reason) => breakDown?.(reason),
      freeze: () => {
        hears = false;
      },
      hasEnded: () => !alive,
      makeUndead: () => {
        isUndead = true;
      },
    });
    return {
      send(message: ToEngine) {
        const received = structuredClone(message);
        queueMicrotask(() => alive && hears && void host.receive(received));
      },
      kill: () => end("SIGKILL"),
      showOutput: () => undefined,
    };
  };

  /** The most recently started process. */
  get latest(): SimulatedProcess {
    const latest = this.started.at(-1);
    if (latest === undefined) throw new Error("no process was started");
    return latest;
  }
}
