import { setTimeout as delay } from "node:timers/promises";

/** Told what llama.cpp has to say; nothing of it is written to the console. */
export type NativeLog = (level: "error" | "warn" | "debug", message: string) => void;

/** llama.cpp's messages cross a thread: they may arrive a little after the call that failed. */
const LATEST_ARRIVAL_MS = 50;

/**
 * Keeps llama.cpp's errors back while a model loads: the first one says why it failed, in words
 * that the library's own exception does not have. Afterwards everything is logged.
 */
export class NativeComplaints {
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

  /** Loading has succeeded. */
  release(): void {
    this.#loading = false;
  }

  /** The first error, without the name of the function that met it. */
  async first(): Promise<string | undefined> {
    await delay(LATEST_ARRIVAL_MS);
    return this.#errors[0]?.replace(/^\w+: (error loading model: )?/, "");
  }
}
