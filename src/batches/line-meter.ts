import { type LineActivity, NO_RESULTS, type ResultKind } from "../core/batch-activity.js";

/** Counts the lines of one model, of all batches. */
export class LineCounters {
  /** Lines without a result. */
  #remaining = 0;
  #running = 0;
  readonly #results: Record<ResultKind, number> = { ...NO_RESULTS };

  add(): void {
    this.#remaining++;
  }

  /** @returns ends the run, once */
  begin(): () => void {
    this.#running++;
    return () => {
      this.#running--;
    };
  }

  finish(kind: ResultKind): void {
    this.#remaining--;
    this.#results[kind]++;
  }

  read(): LineActivity {
    // A line that has just got its result still counts as running.
    const waiting = Math.max(0, this.#remaining - this.#running);
    return { waiting, running: this.#running, results: { ...this.#results } };
  }
}

/** Counts lines by model. */
export class LineMeter {
  readonly #counters = new Map<string, LineCounters>();

  /** @param alias a model of the server; names that clients choose would fill the memory */
  countersOf(alias: string): LineCounters {
    const known = this.#counters.get(alias);
    if (known !== undefined) return known;
    const created = new LineCounters();
    this.#counters.set(alias, created);
    return created;
  }

  read(): ReadonlyMap<string, LineActivity> {
    return new Map([...this.#counters].map(([alias, counters]) => [alias, counters.read()]));
  }
}
