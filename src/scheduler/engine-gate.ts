/** `alone`: nothing else is in the engine meanwhile. */
export type Company = "together" | "alone";

interface Waiting {
  readonly company: Company;
  readonly enter: (leave: () => void) => void;
}

/**
 * The way into the engine. It is shut while the engine is lost: what has a slot waits here, in order, and goes
 * on when the engine is back. What may have ended the engine goes in alone.
 */
export class EngineGate {
  #isOpen = true;
  #inside = 0;
  #insideAlone = false;
  #waiting: Waiting[] = [];

  get isOpen(): boolean {
    return this.#isOpen;
  }

  shut(): void {
    this.#isOpen = false;
  }

  open(): void {
    this.#isOpen = true;
    this.#letIn();
  }

  /** Enters at once, if that is possible. @returns what ends the stay, to be called once */
  tryEnter(company: Company): (() => void) | undefined {
    const isFree = company === "together" ? !this.#insideAlone : this.#inside === 0;
    if (!this.#isOpen || !isFree || this.#waiting.length > 0) return undefined;
    return this.#letInside(company);
  }

  /**
   * Enters when it may.
   * @returns what ends the stay, to be called once
   * @throws the signal's reason when it is aborted before
   */
  async enter(company: Company, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        company,
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

  #letInside(company: Company): () => void {
    this.#inside++;
    this.#insideAlone = company === "alone";
    return () => {
      this.#inside--;
      this.#insideAlone = false;
      this.#letIn();
    };
  }

  /** In order: who enters alone is not overtaken by those behind. */
  #letIn(): void {
    while (this.#isOpen && !this.#insideAlone) {
      const [next] = this.#waiting;
      if (next === undefined || (next.company === "alone" && this.#inside > 0)) return;
      this.#waiting.shift();
      next.enter(this.#letInside(next.company));
    }
  }
}
