/** Bytes of a {@link ByteBudget}, reserved until all holders have released them. */
export interface Reservation {
  readonly bytes: number;
  /** Returns a part of the bytes to the budget, if fewer are needed than were reserved. */
  reduceTo(bytes: number): void;
  /**
   * Adds a holder of the reservation.
   * @returns the function that releases this hold; further calls have no effect
   */
  hold(): () => void;
  /** Releases the initial hold; further calls have no effect. */
  release(): void;
}

interface WaitingReservation {
  readonly bytes: number;
  readonly grant: () => void;
}

/**
 * Budget of bytes shared by several users, granted in order of arrival, so that small reservations
 * never starve a large one.
 */
export class ByteBudget {
  readonly limitBytes: number;
  #usedBytes = 0;
  /** Waiting reservations in order of arrival. */
  readonly #waitingReservations = new Set<WaitingReservation>();

  /** @param limitBytes positive */
  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Number of reservations that wait for bytes. */
  get waiting(): number {
    return this.#waitingReservations.size;
  }

  /**
   * Reserves bytes once they are free and all earlier reservations have been granted.
   * @throws {RangeError} for more bytes than the budget has
   * @throws the signal's reason if it is aborted before the reservation is granted
   */
  async reserve(bytes: number, signal: AbortSignal): Promise<Reservation> {
    if (bytes > this.limitBytes) throw new RangeError(`expected at most ${this.limitBytes} bytes`);
    signal.throwIfAborted();
    if (this.#waitingReservations.size > 0 || !this.#isFree(bytes))
      await this.#waitForBytes(bytes, signal);
    else this.#usedBytes += bytes;
    return this.#createReservation(bytes);
  }

  #isFree(bytes: number): boolean {
    return this.#usedBytes + bytes <= this.limitBytes;
  }

  /** Waits until the bytes have been granted and count as used. */
  #waitForBytes(bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waitingReservations.delete(queuedReservation);
        reject(signal.reason);
        this.#grant();
      };
      const queuedReservation: WaitingReservation = {
        bytes,
        grant: () => {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      this.#waitingReservations.add(queuedReservation);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  #grant(): void {
    for (const waiting of this.#waitingReservations) {
      if (!this.#isFree(waiting.bytes)) return;
      this.#waitingReservations.delete(waiting);
      this.#usedBytes += waiting.bytes;
      waiting.grant();
    }
  }

  #free(bytes: number): void {
    this.#usedBytes -= bytes;
    this.#grant();
  }

  #createReservation(initialBytes: number): Reservation {
    let bytes = initialBytes;
    let uses = 0;
    const reduceTo = (newBytes: number) => {
      if (newBytes >= bytes) return;
      const freed = bytes - newBytes;
      bytes = newBytes;
      this.#free(freed);
    };
    const hold = () => {
      let state: "held" | "released" = "held";
      uses++;
      return () => {
        if (state === "released") return;
        state = "released";
        if (--uses === 0) reduceTo(0);
      };
    };
    return {
      get bytes() {
        return bytes;
      },
      reduceTo,
      hold,
      release: hold(),
    };
  }
}
