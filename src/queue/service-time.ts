/** Of a new measurement in the mean: some ten generations are remembered. */
const WEIGHT_OF_LATEST = 0.1;

/** The time that a generation has its slot: a moving average of those that have ended. */
export class ServiceTime {
  readonly #now: () => number;
  #meanMs: number | undefined;

  /** @param now milliseconds on a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** `undefined`: none has ended yet. */
  get meanMs(): number | undefined {
    return this.#meanMs;
  }

  /** Measures one generation. */
  measure(): ServiceMeasurement {
    let startedAtMs: number | undefined;
    let isInterrupted = false;
    return {
      begin: () => {
        if (startedAtMs !== undefined) return "again";
        startedAtMs = this.#now();
        return "first";
      },
      interrupt: () => {
        isInterrupted = true;
      },
      end: () => {
        if (startedAtMs !== undefined && !isInterrupted) this.#learn(this.#now() - startedAtMs);
      },
    };
  }

  #learn(durationMs: number): void {
    this.#meanMs =
      this.#meanMs === undefined
        ? durationMs
        : this.#meanMs + WEIGHT_OF_LATEST * (durationMs - this.#meanMs);
  }
}

export interface ServiceMeasurement {
  /** It is in the engine: whether for the first time. */
  begin(): "first" | "again";
  /** The engine was lost. An outage says nothing about how long generations take: it does not count. */
  interrupt(): void;
  /** Without a beginning, nothing is measured. */
  end(): void;
}
