import { setTimeout as delay } from "node:timers/promises";

/** Receives llama.cpp's log messages; none of them is written to the console. */
export type NativeLog = (level: "error" | "warn" | "info" | "debug", message: string) => void;

/** What llama.cpp reports of a batch that was aborted as it was asked to: status 1, return value 2. */
const OF_ABORTED_BATCH =
  /(failed with error 1|compute status: 1|removing memory module entries .*|failed to decode, ret = 2)$/;

/** llama.cpp's messages cross a thread: they may arrive after the call that failed. */
const ARRIVAL_LIMIT_MS = 1000;
const POLL_INTERVAL_MS = 10;

/**
 * Buffers llama.cpp's error messages while a model loads: the first one states why loading failed,
 * which the library's own exception does not. Afterwards everything is logged.
 */
export class NativeErrors {
  readonly #log: NativeLog;
  #loading = true;
  readonly #errors: string[] = [];

  constructor(log: NativeLog) {
    this.#log = log;
  }

  readonly log: NativeLog = (level, message) => {
    if (this.#loading && level === "error") this.#errors.push(message);
    else this.#log(this.#loading || OF_ABORTED_BATCH.test(message) ? "debug" : level, message);
  };

  /** Loading has succeeded: errors are logged from now on. */
  endLoading(): void {
    this.#loading = false;
  }

  /**
   * The first buffered error, without the name of the function that reported it. It is waited for, since
   * what fails is rarely silent.
   */
  async first(): Promise<string | undefined> {
    for (let waitedMs = 0; waitedMs < ARRIVAL_LIMIT_MS; waitedMs += POLL_INTERVAL_MS) {
      if (this.#errors.length > 0) break;
      await delay(POLL_INTERVAL_MS);
    }
    return this.#errors[0]?.replace(/^\w+: (error loading model: )?/, "");
  }
}
