/** Interval at which the thread is checked for idleness; longer than usual pauses between a client's requests. */
const CHECK_INTERVAL_MS = 2000;

/**
 * A value that is slow to create and that few requests need. It is created once the thread is idle, or on first use if
 * that is earlier.
 */
export class LazyValue<Value> {
  readonly #create: () => Value;
  readonly #timer: NodeJS.Timeout;
  #createdValue: { readonly value: Value } | undefined;

  /** @param isIdle returns whether no request waits for this thread */
  constructor(create: () => Value, isIdle: () => boolean) {
    this.#create = create;
    this.#timer = setInterval(() => {
      if (isIdle()) this.get();
    }, CHECK_INTERVAL_MS).unref();
  }

  get(): Value {
    clearInterval(this.#timer);
    this.#createdValue ??= { value: this.#create() };
    return this.#createdValue.value;
  }

  /** Stops waiting for idleness; {@link get} still creates the value. */
  close(): void {
    clearInterval(this.#timer);
  }
}
