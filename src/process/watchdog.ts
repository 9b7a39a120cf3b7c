import assert from "node:assert/strict";

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

/** Work of one kind that a process was given. */
export interface Work {
  /** One piece of it: `generation`. */
  readonly unit: string;
  readonly inFlight: number;
  /** What it advances by: `step`. */
  readonly advance: string;
  /** A number that changes with each of these. */
  readonly advances: number;
}

/** Calls as work: they advance by being answered. */
export function callsOf({ inFlight, answered }: Answering): Work {
  return { unit: "call", inFlight, advance: "answer", advances: answered };
}

/** What was asked. */
export interface Answering {
  readonly inFlight: number;
  /** How many calls have been answered, one way or another. */
  readonly answered: number;
}

/** The advances of one kind of work, and the ticks that have passed since the last one. */
interface Silence {
  readonly advances: number;
  readonly ticks: number;
}

/**
 * Finds out that a process hangs: some of its work waits, and none of that kind has advanced for a number of ticks,
 * one a second. Ticks are counted rather than read from a clock: while the machine is suspended none of them comes.
 */
export class HangDetector {
  readonly #limitTicks: number;
  readonly #silences = new Map<string, Silence>();
  #ticksSinceMessage = 0;

  /** @param limitTicks at least one */
  constructor(limitTicks: number) {
    assert(limitTicks >= 1, `a limit of ${limitTicks} ticks`);
    this.#limitTicks = limitTicks;
  }

  /** The process has said something: its event loop lives. */
  noteMessage(): void {
    this.#ticksSinceMessage = 0;
  }

  /**
   * A second has passed.
   * @returns what was seen, if the process hangs: `no step for 60 s with 3 generations in flight`
   */
  tick(work: readonly Work[]): string | undefined {
    this.#ticksSinceMessage += 1;
    const hung = work.filter((one) => this.#silenceOf(one) >= this.#limitTicks)[0];
    return hung && this.#describe(hung);
  }

  /** Ticks since the last advance, or since the work came. */
  #silenceOf({ unit, inFlight, advances }: Work): number {
    const before = this.#silences.get(unit);
    const isSilent = inFlight > 0 && before?.advances === advances;
    const ticks = isSilent ? before.ticks + 1 : 0;
    this.#silences.set(unit, { advances, ticks });
    return ticks;
  }

  #describe({ unit, inFlight, advance }: Work): string {
    // It is asked for a sign of life at every tick: one that has missed several does not just compute.
    const isMute = this.#ticksSinceMessage > Math.max(1, this.#limitTicks / 2);
    const units = inFlight === 1 ? unit : `${unit}s`;
    const missed = isMute ? "sign of life" : advance;
    return `no ${missed} for ${this.#limitTicks} s with ${inFlight} ${units} in flight`;
  }
}
