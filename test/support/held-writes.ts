/** `persist` function whose writes stay pending until the test makes them pass or fail. */
export class HeldWrites<State, Copy = State> {
  /** Copies of the states passed to `persist`. */
  readonly states: Copy[] = [];
  readonly #copy: (state: State) => Copy;
  #release: ((error?: Error) => void) | undefined;

  /** @param copy makes a deep copy */
  constructor(copy: (state: State) => Copy) {
    this.#copy = copy;
  }

  readonly persist = (state: State): Promise<void> => {
    if (this.#release) throw new Error("a write began while another was in flight");
    this.states.push(this.#copy(state));
    return new Promise((resolve, reject) => {
      this.#release = (error) => (error ? reject(error) : resolve());
    });
  };

  get inFlight(): boolean {
    return this.#release !== undefined;
  }

  /** Makes the write in flight succeed, and waits until its submitters are notified. */
  pass(): Promise<void> {
    return this.#end();
  }

  /** Makes the write in flight fail, and waits until its submitters are notified. */
  fail(error: Error): Promise<void> {
    return this.#end(error);
  }

  async #end(error?: Error): Promise<void> {
    const release = this.#release;
    if (!release) throw new Error("no write is in flight");
    this.#release = undefined;
    release(error);
    await microtasksDone();
  }
}

/** A macrotask runs after all microtasks: promises that can settle have settled. */
export function microtasksDone(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
