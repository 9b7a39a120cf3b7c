import { setTimeout as delay } from "node:timers/promises";

/** Receives llama.cpp's log messages; none of them is written to the console. */
export type NativeLog = (level: "error" | "warn" | "info" | "debug", message: string) => void;

/** llama.cpp's messages cross a thread: they may arrive shortly after the call that failed. */
const ARRIVAL_DELAY_MS = 50;

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
    else this.#log(this.#loading ? "debug" : level, message);
  };

  /** Loading has succeeded: errors are logged from now on. */
  endLoading(): void {
    this.#loading = false;
  }

  /** The first buffered error, without the name of the function that reported it. */
  async first(): Promise<string | undefined> {
    await delay(ARRIVAL_DELAY_MS);
    return this.#errors[0]?.replace(/^\w+: (error loading model: )?/, "");
  }
}
