import type { StepReport } from "./step-report.js";

/** The parts of a step that its time is divided among. */
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

  /** What has passed since the last part, or the beginning, belongs to this part. */
  end(part: StepPartMs): void {
    const now = this.#now();
    this.#partMs[part] += now - this.#last;
    this.#last = now;
  }

  /** Up to the end of the last part. */
  get times(): Pick<StepReport, StepPartMs | "totalMs"> {
    return { ...this.#partMs, totalMs: this.#last - this.#begun };
  }
}
