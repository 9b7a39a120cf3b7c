import { setTimeout as delay } from "node:timers/promises";

/** Receives llama.cpp's log messages; none is written to the console. */
export type NativeLog = (level: "error" | "warn" | "info" | "debug", message: string) => void;

/** Messages that llama.cpp reports for a batch aborted on request: status 1, return value 2. */
const ABORTED_BATCH_MESSAGE =
  /(failed with error 1|compute status: 1|removing memory module entries .*|failed to decode, ret = 2)$/;

/** llama.cpp's messages cross a thread and may arrive after the failed call returns. */
const ARRIVAL_LIMIT_MS = 1000;
const POLL_INTERVAL_MS = 10;

/**
 * Buffers llama.cpp's error messages while a model loads: the first one states why loading failed,
 * which the library's own exception does not. After loading, all messages are logged.
 */
export class NativeErrors {
  readonly #log: NativeLog;
  #isLoading = true;
  readonly #errors: string[] = [];

  constructor(log: NativeLog) {
    this.#log = log;
  }

  readonly log: NativeLog = (level, message) => {
    if (this.#isLoading && level === "error") this.#errors.push(message);
    else
      this.#log(this.#isLoading || ABORTED_BATCH_MESSAGE.test(message) ? "debug" : level, message);
  };

  /** Ends buffering after a successful load; errors are logged from now on. */
  endLoading(): void {
    this.#isLoading = false;
  }

  /**
   * Returns the first buffered error, without the name of the function that reported it. Waits up
   * to one second for it, since failures rarely come without a message.
   */
  async waitForFirst(): Promise<string | undefined> {
    for (let waitedMs = 0; waitedMs < ARRIVAL_LIMIT_MS; waitedMs += POLL_INTERVAL_MS) {
      if (this.#errors.length > 0) break;
      await delay(POLL_INTERVAL_MS);
    }
    return this.#errors[0]?.replace(/^\w+: (error loading model: )?/, "");
  }
}
