import type { StepReport } from "./step-report.js";

/** Parts of a step that are timed separately. */
type StepPartMs = "stateMs" | "draftMs" | "retractionMs" | "evaluateMs" | "sampleMs";

/** Divides the time of a step among its parts, in milliseconds. */
export class StepClock {
  readonly #now: () => number;
  readonly #begun: number;
  readonly #partMs = { stateMs: 0, draftMs: 0, retractionMs: 0, evaluateMs: 0, sampleMs: 0 };
  #last: number;

  /** @param now milliseconds on a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
    this.#begun = now();
    this.#last = this.#begun;
  }

  /** Adds the time since the end of the previous part, or since the beginning of the step, to this part. */
  end(part: StepPartMs): void {
    const now = this.#now();
    this.#partMs[part] += now - this.#last;
    this.#last = now;
  }

  /** Time of each part and in total, up to the end of the last part. */
  get times(): Pick<StepReport, StepPartMs | "totalMs"> {
    return { ...this.#partMs, totalMs: this.#last - this.#begun };
  }
}
