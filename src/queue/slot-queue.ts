import PQueue from "p-queue";
import { shuttingDown } from "../core/shutting-down.js";
import { admit } from "./admission.js";
import { EngineGate } from "./engine-gate.js";
import { type FairQueue, fairQueueBy, type TurnOptions } from "./fair-queue.js";
import { Places } from "./places.js";
import { retryAfterSeconds } from "./retry-after.js";
import type { SchedulerOptions } from "./scheduler-options.js";
import { ServiceTime } from "./service-time.js";
import { WaitingLimit } from "./waiting-limit.js";

/** What requests wait in for one model, whatever they ask of it: admission, turns, losses and the end. */
export class SlotQueue {
  readonly turns: PQueue<FairQueue, TurnOptions>;
  readonly gate = new EngineGate();
  readonly places = new Places();
  readonly serviceTime: ServiceTime;
  readonly #options: SchedulerOptions;
  /** Of the requests that have not ended. Each has its own: a signal of them all would remember each for ever. */
  readonly #endings = new Set<AbortController>();
  #isEnding = false;

  /** @param slots requests that may be in the engine at once */
  constructor(slots: number, options: SchedulerOptions) {
    const { now = () => performance.now() } = options;
    this.#options = options;
    this.serviceTime = new ServiceTime(now);
    this.turns = new PQueue({ concurrency: slots, queueClass: fairQueueBy(now) });
  }

  /** @throws {GgufdError} `shutting_down` after {@link endAll} */
  rejectWhileEnding(): void {
    if (this.#isEnding) throw shuttingDown();
  }

  /**
   * @param ahead prompt lengths of those that come first and have no slot
   * @throws {GgufdError} see {@link admit}
   */
  admit(promptTokens: readonly number[], ahead: readonly number[]): void {
    const slots = this.turns.concurrency;
    admit({
      promptTokens,
      ahead,
      freeSlots: Math.max(0, slots - this.places.running),
      slots,
      limits: this.#options.limits,
      serviceMs: this.serviceTime.meanMs,
    });
  }

  /** Of a request that begins: {@link endAll} aborts it, until it is forgotten. */
  openEnding(): AbortController {
    const ending = new AbortController();
    this.#endings.add(ending);
    return ending;
  }

  forgetEnding(ending: AbortController): void {
    this.#endings.delete(ending);
  }

  waitingLimit(): WaitingLimit {
    return new WaitingLimit(this.#options.queueTimeoutMs, () =>
      retryAfterSeconds({
        waiting: this.places.waiting,
        slots: this.turns.concurrency,
        serviceMs: this.serviceTime.meanMs,
      }),
    );
  }

  /** The engine is lost: what has a slot waits for the next one. */
  suspend(): void {
    this.gate.shut();
  }

  /** There is an engine again, maybe with another number of slots. */
  resume(slots: number): void {
    this.turns.concurrency = slots;
    this.gate.open();
  }

  /** Aborts all requests; they fail with `shutting_down`, and so do those that come later. */
  endAll(): void {
    this.#isEnding = true;
    for (const ending of this.#endings) ending.abort(shuttingDown());
  }
}
