/** What the daemon does about a signal to stop. */
export type StopStep =
  /** It refuses new requests, and lets those in flight finish. */
  | "drain"
  /** It ends those in flight, with an error that their clients see. */
  | "end"
  /** It exits, whatever is unfinished. */
  | "exit"
  /** The signal is one that it has had. */
  | "nothing";

/**
 * Signals that come so soon after the last one are the same: a terminal sends Ctrl-C to all processes of a command, and
 * npm passes on what it gets.
 */
const REPEAT_MS = 1000;

const STEPS = ["drain", "end", "exit"] as const;

/** Signals to stop, each of which is more urgent than the last. */
export class StopSignals {
  #steps = 0;
  #lastAtMs = Number.NEGATIVE_INFINITY;

  /** @param nowMs on a clock that never goes back */
  receive(nowMs: number): StopStep {
    if (nowMs - this.#lastAtMs < REPEAT_MS) return "nothing";
    this.#lastAtMs = nowMs;
    const step = STEPS[this.#steps] ?? "exit";
    this.#steps += 1;
    return step;
  }
}
