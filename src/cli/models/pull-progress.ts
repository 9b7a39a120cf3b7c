import type { PullEvent } from "../../core/pull-event.js";
import { formatSiUnits } from "../../core/si-units.js";
import { formatBar } from "../../serve/start-screen.js";
import { formatClockTime } from "../clock-time.js";

/** Output for the progress of a pull. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Bytes received by a point in time. */
interface Sample {
  readonly atMs: number;
  readonly bytes: number;
}

/** Window of the displayed rate: long enough to be readable, short enough to follow the network. */
const RATE_WINDOW_MS = 5000;
/** Interval of progress lines if the output is not a terminal. */
const LINE_INTERVAL_MS = 1000;
const DEFAULT_COLUMNS = 80;
const CLEAR_LINE = "\r\u001b[K";

/** Progress of a pull, for display. */
export interface TransferProgress {
  readonly completedBytes: number;
  /** `undefined`: the size of a file is not known yet. */
  readonly totalBytes: number | undefined;
  /** `undefined`: too little data for an estimate. */
  readonly bytesPerSecond: number | undefined;
}

/** `42 %, 2.1 of 4.9 GB, 85 MB/s, 0:33 left` */
export function describeTransfer({
  completedBytes,
  totalBytes,
  bytesPerSecond,
}: TransferProgress): string {
  const rate = bytesPerSecond === undefined ? [] : [`${formatSiUnits(bytesPerSecond)}B/s`];
  if (totalBytes === undefined) return [`${formatSiUnits(completedBytes)}B`, ...rate].join(", ");
  const percent = totalBytes === 0 ? 100 : Math.floor((completedBytes / totalBytes) * 100);
  const timeLeft =
    bytesPerSecond === undefined || bytesPerSecond === 0
      ? []
      : [`${formatClockTime((totalBytes - completedBytes) / bytesPerSecond)} left`];
  const amount = `${formatSiUnits(completedBytes)}B of ${formatSiUnits(totalBytes)}B`;
  return [`${percent} %`, amount, ...rate, ...timeLeft].join(", ");
}

/**
 * Shows the progress of a pull: on a terminal as a bar on one line, with events above it; otherwise
 * as one line per second.
 */
export class PullProgress {
  readonly #output: ProgressOutput;
  readonly #now: () => number;
  #name: string;
  readonly #sizes = new Map<string, number | undefined>();
  readonly #completed = new Map<string, number>();
  /** Samples since the current transfer began. */
  #samples: Sample[] = [];
  #activity: "checking" | "progress" = "progress";
  #shownAtMs = Number.NEGATIVE_INFINITY;
  #hasBar = false;

  /** @param now milliseconds of a monotonic clock */
  constructor(name: string, output: ProgressOutput, now: () => number = () => performance.now()) {
    this.#name = name;
    this.#output = output;
    this.#now = now;
  }

  readonly onEvent = (event: PullEvent): void => {
    switch (event.type) {
      case "resolving":
        return;
      case "resolved":
        this.#name = event.name;
        for (const { path, sizeBytes } of event.files) this.#sizes.set(path, sizeBytes);
        return;
      case "present":
      case "stored":
        this.#completed.set(
          event.path,
          this.#sizes.get(event.path) ?? this.#completedBytesOf(event.path),
        );
        this.#show();
        return;
      case "checking":
      case "progress":
        this.#advance(event);
        return;
      case "waiting":
        this.#writeLine(`${event.path}: ${event.reason}; waiting`);
        return;
      case "restarting":
        this.#samples = [];
        this.#writeLine(`${event.path}: ${event.reason}; restarting the download`);
        return;
      case "retrying": {
        const subject = event.path ?? this.#name;
        this.#writeLine(
          `${subject}: ${event.reason}; retrying in ${(event.delayMs / 1000).toFixed(1)} s`,
        );
      }
    }
  };

  /** Removes the bar from the terminal. */
  end(): void {
    if (this.#hasBar) this.#output.write(CLEAR_LINE);
    this.#hasBar = false;
  }

  #advance({
    type,
    path,
    completedBytes,
    totalBytes,
  }: Extract<PullEvent, { readonly type: "checking" | "progress" }>): void {
    // Data verified from the disk must not count in the network's rate.
    if (type === "checking" || this.#activity === "checking") this.#samples = [];
    this.#activity = type;
    this.#sizes.set(path, totalBytes ?? this.#sizes.get(path));
    this.#completed.set(path, completedBytes);
    const atMs = this.#now();
    this.#samples = this.#samples.filter((sample) => atMs - sample.atMs <= RATE_WINDOW_MS);
    this.#samples.push({ atMs, bytes: this.#completedBytes() });
    this.#show();
  }

  #measure(): TransferProgress {
    const sizes = [...this.#sizes.values()];
    const isKnown = sizes.every((size) => size !== undefined);
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    const elapsedMs = first === undefined || last === undefined ? 0 : last.atMs - first.atMs;
    const bytes = first === undefined || last === undefined ? 0 : last.bytes - first.bytes;
    return {
      completedBytes: this.#completedBytes(),
      totalBytes: isKnown ? sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) : undefined,
      bytesPerSecond: elapsedMs > 0 && bytes >= 0 ? (bytes / elapsedMs) * 1000 : undefined,
    };
  }

  #show(): void {
    const atMs = this.#now();
    if (!this.#output.isTTY && atMs - this.#shownAtMs < LINE_INTERVAL_MS) return;
    this.#shownAtMs = atMs;
    const progress = this.#measure();
    const activity = this.#activity === "checking" ? " (verifying downloaded data)" : "";
    const text = `${describeTransfer(progress)}${activity}`;
    if (!this.#output.isTTY) {
      this.#output.write(`${this.#name}: ${text}\n`);
      return;
    }
    const { completedBytes, totalBytes } = progress;
    const bar = totalBytes ? `${formatBar(completedBytes / totalBytes)} ` : "";
    const line = `${this.#name} ${bar}${text}`;
    this.#output.write(
      `${CLEAR_LINE}${line.slice(0, (this.#output.columns ?? DEFAULT_COLUMNS) - 1)}`,
    );
    this.#hasBar = true;
  }

  /** Writes a separate line above the bar. */
  #writeLine(text: string): void {
    this.#output.write(`${this.#hasBar ? CLEAR_LINE : ""}${text}\n`);
    if (this.#hasBar) this.#show();
  }

  #completedBytes(): number {
    return [...this.#completed.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  #completedBytesOf(path: string): number {
    return this.#completed.get(path) ?? 0;
  }
}
