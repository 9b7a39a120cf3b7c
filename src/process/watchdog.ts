import { HangDetector, type Work } from "./hang-detector.js";

export interface WatchdogOptions {
  /** Seconds without an advance after which work hangs; 0: never. @default 60 */
  readonly limitSeconds?: number | undefined;
  /** What the process has to do at the moment. */
  readonly work: () => readonly Work[];
  /** Asks the process for a sign of life. */
  readonly ping: () => void;
  /** Called once, with what was seen. */
  readonly onHang: (seen: string) => void;
}

/** No step is that long, not even a full batch of a large model on few cores; see `--engine-watchdog`. */
const DEFAULT_LIMIT_SECONDS = 60;
const TICK_MS = 1000;

/** Watches a process while it has work; a process without any is not asked for anything. */
export class Watchdog {
  readonly #options: WatchdogOptions;
  #detector: HangDetector | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  /** To be called when the process is given work. */
  watch(): void {
    const { limitSeconds = DEFAULT_LIMIT_SECONDS } = this.#options;
    if (this.#timer !== undefined || limitSeconds === 0) return;
    const detector = new HangDetector(limitSeconds);
    this.#detector = detector;
    this.#timer = setInterval(() => this.#tick(detector), TICK_MS);
    this.#timer.unref();
  }

  /** To be called with every message of the process. */
  noteMessage(): void {
    this.#detector?.noteMessage();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#detector = undefined;
  }

  #tick(detector: HangDetector): void {
    const work = this.#options.work();
    if (work.every(({ inFlight }) => inFlight === 0)) {
      this.stop();
      return;
    }
    const seen = detector.tick(work);
    if (seen === undefined) {
      this.#options.ping();
      return;
    }
    this.stop();
    this.#options.onHang(seen);
  }
}
