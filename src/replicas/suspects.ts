import { chooseForSuspect, type ReplicaLoad } from "./choose-replica.js";
import type { Replica } from "./replica.js";

/** Time that a suspect waits for a second running replica, in milliseconds. */
const SECOND_REPLICA_LIMIT_MS = 60_000;

/** A generation that is suspected of crashing engines. */
export interface Suspect {
  /** Places the generation in the replica, or, if there is none, like any other generation. */
  readonly place: (replica: Replica | undefined) => void;
}

export interface SuspectsOptions {
  readonly replicas: readonly Replica[];
  /** Called when a replica is isolated, or no longer is. */
  readonly onChange: () => void;
}

/**
 * Generations that were in several engines in a row when these crashed. Each has its last try alone
 * in a replica, so that it takes down no other generation, and never in the only running replica.
 */
export class Suspects {
  readonly #options: SuspectsOptions;
  #waiting: readonly Suspect[] = [];
  /** Replica that is isolated for suspects. */
  #isolated: Replica | undefined;
  /** Suspect that runs in the isolated replica. */
  #running: Suspect | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SuspectsOptions) {
    this.#options = options;
  }

  /** Number of suspects without a replica. */
  get waiting(): number {
    return this.#waiting.length;
  }

  availabilityOf(replica: Replica): ReplicaLoad["availability"] {
    if (!replica.isRunning) return "down";
    return replica === this.#isolated ? "isolated" : "open";
  }

  add(suspect: Suspect): void {
    this.#waiting = [...this.#waiting, suspect];
    this.update();
  }

  /** The suspect has ended, or is no longer wanted. */
  remove(suspect: Suspect): void {
    if (this.#running === suspect) this.#running = undefined;
    this.#waiting = this.#waiting.filter((other) => other !== suspect);
  }

  /** Places suspects, after a change of the replicas or of their generations. */
  update(): void {
    const former = this.#isolated;
    if (former?.isRunning === false) this.#isolated = undefined;
    const [next] = this.#waiting;
    if (this.#running === undefined) this.#isolated = next && this.#choose();
    this.#waitForSecond(next !== undefined && this.#isolated === undefined);
    if (this.#isolated !== former) this.#options.onChange();
    if (next === undefined || this.#running !== undefined) return;
    if (this.#isolated?.generations !== 0) return;
    this.#waiting = this.#waiting.slice(1);
    this.#running = next;
    next.place(this.#isolated);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #choose(): Replica | undefined {
    const { replicas } = this.#options;
    if (this.#isolated !== undefined) return this.#isolated;
    const index = chooseForSuspect(
      replicas.map((replica) => ({
        index: replica.index,
        generations: replica.generations,
        availability: this.availabilityOf(replica),
      })),
    );
    return index === undefined ? undefined : replicas[index];
  }

  /** Places the suspects like other generations if no second replica is running in time. */
  #waitForSecond(isNeeded: boolean): void {
    if (!isNeeded) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const suspects = this.#waiting;
      this.#waiting = [];
      for (const suspect of suspects) suspect.place(undefined);
    }, SECOND_REPLICA_LIMIT_MS);
  }
}
