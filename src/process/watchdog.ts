import assert from "node:assert/strict";

export interface WatchdogOptions {
  /** Seconds without progress after which work counts as hung; 0: never. @default 60 */
  readonly limitSeconds?: number | undefined;
  /** Returns the current work of the process. */
  readonly work: () => readonly Work[];
  /** Sends a liveness probe to the process. */
  readonly ping: () => void;
  /** Called once, with a description of the hang. */
  readonly onHang: (detail: string) => void;
}

/**
 * Longer than any step, even a full batch of a large model on few cores; see `--engine-watchdog`.
 */
const DEFAULT_LIMIT_SECONDS = 60;
const TICK_MS = 1000;

/** Watches a process for hangs while it has work; an idle process is not pinged. */
export class Watchdog {
  readonly #options: WatchdogOptions;
  #detector: HangDetector | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  /** To be called when the process receives work. */
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
    const hangDescription = detector.tick(work);
    if (hangDescription === undefined) {
      this.#options.ping();
      return;
    }
    this.stop();
    this.#options.onHang(hangDescription);
  }
}

/** Work of one kind that a process has received. */
export interface Work {
  /** Name of one piece of work: `generation`. */
  readonly unit: string;
  readonly inFlight: number;
  /** Name of one unit of progress: `step`. */
  readonly advance: string;
  /** A number that changes with each unit of progress. */
  readonly advances: number;
}

/** Describes calls as work, whose progress is their answers. */
export function toCallWork({ inFlight, answered }: CallCounts): Work {
  return { unit: "call", inFlight, advance: "answer", advances: answered };
}

/** Numbers of unanswered and answered calls. */
export interface CallCounts {
  readonly inFlight: number;
  /** Number of answered calls, successful or not. */
  readonly answered: number;
}

/** Progress of one kind of work, and the number of ticks since it last changed. */
interface Silence {
  readonly advances: number;
  readonly ticks: number;
}

/**
 * Detects that a process hangs: some of its work is in flight, and no work of that kind has
 * progressed for a number of ticks, one per second. Ticks are counted rather than read from a
 * clock, because they pause while the machine is suspended.
 */
export class HangDetector {
  readonly #limitTicks: number;
  readonly #silences = new Map<string, Silence>();
  #ticksSinceMessage = 0;

  /** @param limitTicks at least one */
  constructor(limitTicks: number) {
    assert(limitTicks >= 1, `expected a limit of at least one tick, got ${limitTicks}`);
    this.#limitTicks = limitTicks;
  }

  /** The process has sent a message, so its event loop is alive. */
  noteMessage(): void {
    this.#ticksSinceMessage = 0;
  }

  /**
   * To be called once per second.
   * @returns a description of the hang, if there is one: `no step for 60 s with 3 generations in
   *   flight`
   */
  tick(work: readonly Work[]): string | undefined {
    this.#ticksSinceMessage += 1;
    const hungWork = work.filter((one) => this.#countSilentTicks(one) >= this.#limitTicks)[0];
    return hungWork && this.#describe(hungWork);
  }

  /** Returns the ticks since the last progress, or since the work arrived. */
  #countSilentTicks({ unit, inFlight, advances }: Work): number {
    const previousSilence = this.#silences.get(unit);
    const isSilent = inFlight > 0 && previousSilence?.advances === advances;
    const ticks = isSilent ? previousSilence.ticks + 1 : 0;
    this.#silences.set(unit, { advances, ticks });
    return ticks;
  }

  #describe({ unit, inFlight, advance }: Work): string {
    // The process is pinged at every tick; one that misses several pongs is not merely computing.
    const isMute = this.#ticksSinceMessage > Math.max(1, this.#limitTicks / 2);
    const units = inFlight === 1 ? unit : `${unit}s`;
    const missingSign = isMute ? "sign of life" : advance;
    return `no ${missingSign} for ${this.#limitTicks} s with ${inFlight} ${units} in flight`;
  }
}
