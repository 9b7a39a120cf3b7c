import assert from "node:assert/strict";

/** `exclusive`: nothing else is in the engine meanwhile. */
export type EngineAccess = "shared" | "exclusive";

interface Waiting {
  readonly access: EngineAccess;
  readonly enter: (leave: () => void) => void;
}

/**
 * The way into the engine. It is shut while the engine is lost: what has a slot waits here, in order, and goes
 * on when the engine is back. What may have ended the engine goes in alone.
 */
export class EngineGate {
  #isOpen = true;
  #losses = 0;
  #inside = 0;
  #isExclusive = false;
  #waiting: Waiting[] = [];

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** How often it was shut: what an engine held before is gone. */
  get losses(): number {
    return this.#losses;
  }

  shut(): void {
    this.#isOpen = false;
    this.#losses += 1;
  }

  open(): void {
    this.#isOpen = true;
    this.#letIn();
  }

  /** Enters at once, if that is possible. @returns what ends the stay, to be called once */
  tryEnter(access: EngineAccess): (() => void) | undefined {
    const isFree = access === "shared" ? !this.#isExclusive : this.#inside === 0;
    if (!this.#isOpen || !isFree || this.#waiting.length > 0) return undefined;
    return this.#letInside(access);
  }

  /**
   * Enters when it may.
   * @returns what ends the stay, to be called once
   * @throws the signal's reason when it is aborted before
   */
  async enter(access: EngineAccess, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        access,
        enter: (leave) => {
          signal.removeEventListener("abort", giveUp);
          resolve(leave);
        },
      };
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        reject(signal.reason);
        this.#letIn();
      };
      signal.addEventListener("abort", giveUp, { once: true });
      this.#waiting.push(waiting);
      this.#letIn();
    });
  }

  #letInside(access: EngineAccess): () => void {
    this.#inside++;
    this.#isExclusive = access === "exclusive";
    return () => {
      assert(this.#inside > 0, "more have left the engine than have entered");
      this.#inside--;
      this.#isExclusive = false;
      this.#letIn();
    };
  }

  /** In order: those behind do not overtake one that waits for exclusive access. */
  #letIn(): void {
    while (this.#isOpen && !this.#isExclusive) {
      const [next] = this.#waiting;
      if (next === undefined || (next.access === "exclusive" && this.#inside > 0)) return;
      this.#waiting.shift();
      next.enter(this.#letInside(next.access));
    }
  }
}
