const PACE_MS = 1000;

/** Sends a report a second after what it is about has changed: at most one a second, the last one after the last change. */
export class PacedReport {
  readonly #send: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: () => void) {
    this.#send = send;
  }

  /** What it reports has changed. */
  noteChange(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#send();
    }, PACE_MS).unref();
  }
}
