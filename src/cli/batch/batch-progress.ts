import { formatCount, formatRate } from "../../live-metrics/units.js";
import { formatBar } from "../../serve/start-screen.js";
import { formatClockTime } from "../clock-time.js";
import type { ProgressOutput } from "../models/pull-progress.js";

/** Progress of batches at a point in time. */
export interface BatchCounts {
  /** 0: not known yet. */
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
}

interface Sample {
  readonly atMs: number;
  readonly ended: number;
  /** Tokens that the daemon has computed; `undefined`: unknown. */
  readonly tokens: number | undefined;
}

export interface BatchRates {
  readonly requestsPerSecond: number | undefined;
  readonly tokensPerSecond: number | undefined;
}

/** Window of the displayed rates: answers may take seconds each. */
const RATE_WINDOW_MS = 30_000;
/** Interval of progress lines if the output is not a terminal. */
const LINE_INTERVAL_MS = 10_000;
const DEFAULT_COLUMNS = 80;
const CLEAR_LINE = "\r\u001b[K";

/** `45 %, 450 of 1,000 requests, 2 failed, 1,234 tokens/s, 3:20 left` */
export function describeProgress(
  { total, completed, failed }: BatchCounts,
  { requestsPerSecond, tokensPerSecond }: BatchRates,
): string {
  if (total === 0) return "the daemon is reading the requests";
  const ended = completed + failed;
  const left = total - ended;
  return [
    `${Math.floor((ended / total) * 100)} %`,
    `${formatCount(ended)} of ${formatCount(total)} requests`,
    ...(failed === 0 ? [] : [`${formatCount(failed)} failed`]),
    ...(tokensPerSecond === undefined ? [] : [`${formatRate(tokensPerSecond)} tokens/s`]),
    ...(left === 0 || !requestsPerSecond
      ? []
      : [`${formatClockTime(left / requestsPerSecond)} left`]),
  ].join(", ");
}

/** Shows the progress of batches: as a bar on a terminal, otherwise as lines. */
export class BatchProgress {
  readonly #name: string;
  readonly #output: ProgressOutput;
  readonly #now: () => number;
  #samples: Sample[] = [];
  #shownText = "";
  #shownAtMs = Number.NEGATIVE_INFINITY;
  #hasBar = false;

  /** @param now milliseconds of a monotonic clock */
  constructor(name: string, output: ProgressOutput, now: () => number = () => performance.now()) {
    this.#name = name;
    this.#output = output;
    this.#now = now;
  }

  /** @param tokens tokens that the daemon has computed since any point in time */
  show(counts: BatchCounts, tokens: number | undefined): void {
    const atMs = this.#now();
    this.#samples = this.#samples.filter((sample) => atMs - sample.atMs <= RATE_WINDOW_MS);
    this.#samples.push({ atMs, ended: counts.completed + counts.failed, tokens });
    const text = describeProgress(counts, this.#measure());
    const share = counts.total === 0 ? 0 : (counts.completed + counts.failed) / counts.total;
    this.#draw(text, `${formatBar(share)} ${text}`, atMs);
  }

  /** Shows a state without counts. */
  showState(text: string): void {
    this.#samples = [];
    this.#draw(text, text, this.#now());
  }

  /** Removes the bar from the terminal. */
  end(): void {
    if (this.#hasBar) this.#output.write(CLEAR_LINE);
    this.#hasBar = false;
  }

  #measure(): BatchRates {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    const seconds = first === undefined || last === undefined ? 0 : (last.atMs - first.atMs) / 1000;
    const rate = (earlier: number | undefined, later: number | undefined) =>
      seconds === 0 || earlier === undefined || later === undefined || later < earlier
        ? undefined
        : (later - earlier) / seconds;
    return {
      requestsPerSecond: rate(first?.ended, last?.ended),
      tokensPerSecond: rate(first?.tokens, last?.tokens),
    };
  }

  #draw(text: string, withBar: string, atMs: number): void {
    if (this.#output.isTTY) {
      const line = `${this.#name} ${withBar}`;
      const columns = this.#output.columns ?? DEFAULT_COLUMNS;
      this.#output.write(`${CLEAR_LINE}${line.slice(0, columns - 1)}`);
      this.#hasBar = true;
      return;
    }
    if (text === this.#shownText || atMs - this.#shownAtMs < LINE_INTERVAL_MS) return;
    this.#shownText = text;
    this.#shownAtMs = atMs;
    this.#output.write(`${this.#name}: ${text}\n`);
  }
}
