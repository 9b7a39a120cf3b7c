import type { Engine } from "../core/engine.js";

type Limited = Pick<Engine, "limitThreads">;

/**
 * Sends engines their thread limit, only when it differs from the one that the engine already has.
 */
export class ThreadLimitSender {
  #engine: Limited | undefined;
  #limit: number | undefined;

  /**
   * Sends the limit to the engine if it has changed.
   * @param engine a new engine starts without a limit
   * @param limit maximum number of computing threads; `undefined`: none
   */
  sendIfChanged(engine: Limited, limit: number | undefined): void {
    const known = this.#engine === engine ? this.#limit : undefined;
    if (known === limit) return;
    engine.limitThreads(limit);
    this.#engine = engine;
    this.#limit = limit;
  }
}
