import type { Engine } from "../core/engine.js";

type LimitableEngine = Pick<Engine, "limitThreads">;

/**
 * Sends engines their thread limit, only when it differs from the one that the engine already has.
 */
export class ThreadLimitSender {
  #engine: LimitableEngine | undefined;
  #limit: number | undefined;

  /**
   * Sends the limit to the engine if it has changed.
   * @param engine a new engine starts without a limit
   * @param limit maximum number of computing threads; `undefined`: none
   */
  sendIfChanged(engine: LimitableEngine, limit: number | undefined): void {
    const currentLimit = this.#engine === engine ? this.#limit : undefined;
    if (currentLimit === limit) return;
    engine.limitThreads(limit);
    this.#engine = engine;
    this.#limit = limit;
  }
}
