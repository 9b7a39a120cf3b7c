import type { QueueLoad } from "./admission.js";

/** What a queue of requests for one model needs to know. */
export interface SchedulerOptions {
  /** The model's name, for observers. */
  readonly model: string;
  /** Of what waits. */
  readonly limits: QueueLoad;
  /** Time that a request may wait for its turn; 0: any. */
  readonly queueTimeoutMs: number;
  /** A request is refused because the engine was lost so many times in a row while it was in it. Plain data. */
  readonly onRefused: (request: object, losses: number) => void;
  /** Milliseconds on a monotonic clock. */
  readonly now?: () => number;
}
