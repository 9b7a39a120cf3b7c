/** Between two looks: longer than clients usually take from one request to the next. */
const LOOK_EVERY_MS = 2000;

/**
 * A value that takes long to make, and that few requests need. It is made when there is nothing else to do, or at once for who
 * needs it earlier: nobody who does not need it waits for it.
 */
export class MadeWhenIdle<Value> {
  readonly #make: () => Value;
  readonly #timer: NodeJS.Timeout;
  #made: { readonly value: Value } | undefined;

  /** @param isIdle whether nobody waits for what this thread does */
  constructor(make: () => Value, isIdle: () => boolean) {
    this.#make = make;
    this.#timer = setInterval(() => {
      if (isIdle()) this.get();
    }, LOOK_EVERY_MS).unref();
  }

  get(): Value {
    clearInterval(this.#timer);
    this.#made ??= { value: this.#make() };
    return this.#made.value;
  }

  /** It is not made any more unless it is needed. */
  close(): void {
    clearInterval(this.#timer);
  }
}
