import assert from "node:assert/strict";

/** `exclusive`: no other request is in the engine at the same time. */
export type EngineAccess = "shared" | "exclusive";

interface WaitingRequest {
  readonly access: EngineAccess;
  readonly enter: (leave: () => void) => void;
}

/**
 * Controls entry to the engine. The gate is shut while no engine is running: requests with a slot
 * wait here, in order, until the engine is back. A request suspected of crashing the engine enters
 * alone.
 */
export class EngineGate {
  #isOpen = true;
  #crashes = 0;
  #requestsInside = 0;
  #isExclusive = false;
  #waitingRequests: WaitingRequest[] = [];

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Number of times that an engine process exited. An increase means that all state in that process
   * is gone.
   */
  get crashes(): number {
    return this.#crashes;
  }

  shut(): void {
    this.#isOpen = false;
    this.noteCrash();
  }

  /** Counts the exit of an engine process while other replicas keep the gate open. */
  noteCrash(): void {
    this.#crashes += 1;
  }

  open(): void {
    this.#isOpen = true;
    this.#admitWaiting();
  }

  /**
   * Enters at once, if that is possible.
   * @returns the function that leaves the engine, to be called once; `undefined` if entry has to
   *   wait
   */
  tryEnter(access: EngineAccess): (() => void) | undefined {
    const isFree = access === "shared" ? !this.#isExclusive : this.#requestsInside === 0;
    if (!this.#isOpen || !isFree || this.#waitingRequests.length > 0) return undefined;
    return this.#letInside(access);
  }

  /**
   * Enters as soon as the gate admits the request.
   * @returns the function that leaves the engine, to be called once
   * @throws the signal's reason if it is aborted before entry
   */
  async enter(access: EngineAccess, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const waitingRequest: WaitingRequest = {
        access,
        enter: (leave) => {
          signal.removeEventListener("abort", giveUp);
          resolve(leave);
        },
      };
      const giveUp = () => {
        this.#waitingRequests = this.#waitingRequests.filter((other) => other !== waitingRequest);
        reject(signal.reason);
        this.#admitWaiting();
      };
      signal.addEventListener("abort", giveUp, { once: true });
      this.#waitingRequests.push(waitingRequest);
      this.#admitWaiting();
    });
  }

  #letInside(access: EngineAccess): () => void {
    this.#requestsInside++;
    this.#isExclusive = access === "exclusive";
    return () => {
      assert(this.#requestsInside > 0, "expected a request in the engine, got none");
      this.#requestsInside--;
      this.#isExclusive = false;
      this.#admitWaiting();
    };
  }

  /** Admits waiting requests in order; none overtakes a request that waits for exclusive access. */
  #admitWaiting(): void {
    while (this.#isOpen && !this.#isExclusive) {
      const [next] = this.#waitingRequests;
      if (next === undefined || (next.access === "exclusive" && this.#requestsInside > 0)) return;
      this.#waitingRequests.shift();
      next.enter(this.#letInside(next.access));
    }
  }
}
