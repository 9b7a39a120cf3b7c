import type { Engine } from "../core/engine.js";

type Limited = Pick<Engine, "limitThreads">;

/** Tells engines how many threads they may compute with, each process only what it does not know. */
export class ToldLimit {
  #engine: Limited | undefined;
  #limit: number | undefined;

  /** @param engine which has no limit at its start */
  tell(engine: Limited, limit: number | undefined): void {
    const known = this.#engine === engine ? this.#limit : undefined;
    if (known === limit) return;
    engine.limitThreads(limit);
    this.#engine = engine;
    this.#limit = limit;
  }
}
