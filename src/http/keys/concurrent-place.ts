import assert from "node:assert/strict";

export interface PlaceOptions {
  readonly onTaken: () => void;
  readonly onFree: () => void;
}

/**
 * A request's place among those that its key has at once. It is taken while anybody holds it: the connection
 * until the answer is complete, and what goes on without one.
 */
export class ConcurrentPlace {
  readonly #options: PlaceOptions;
  #holders = 0;

  constructor(options: PlaceOptions) {
    this.#options = options;
  }

  /** @returns lets go; to be called once */
  hold(): () => void {
    if (this.#holders++ === 0) this.#options.onTaken();
    let state: "held" | "released" = "held";
    return () => {
      assert(state === "held", "a place was let go twice");
      state = "released";
      if (--this.#holders === 0) this.#options.onFree();
    };
  }
}
