import type { StepReport } from "./step-report.js";

/** Parts of a step that are timed separately. */
type StepPartMs = "stateMs" | "draftMs" | "retractionMs" | "evaluateMs" | "sampleMs";

/** Divides the time of a step among its parts, in milliseconds. */
export class StepClock {
  readonly #now: () => number;
  readonly #beganMs: number;
  readonly #partMs = { stateMs: 0, draftMs: 0, retractionMs: 0, evaluateMs: 0, sampleMs: 0 };
  #lastEndMs: number;

  /** @param now milliseconds on a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
    this.#beganMs = now();
    this.#lastEndMs = this.#beganMs;
  }

  /** Adds the time since the end of the previous part, or since the beginning of the step, to this part. */
  end(part: StepPartMs): void {
    const now = this.#now();
    this.#partMs[part] += now - this.#lastEndMs;
    this.#lastEndMs = now;
  }

  /** Time of each part and in total, up to the end of the last part. */
  get times(): Pick<StepReport, StepPartMs | "totalMs"> {
    return { ...this.#partMs, totalMs: this.#lastEndMs - this.#beganMs };
  }
}
