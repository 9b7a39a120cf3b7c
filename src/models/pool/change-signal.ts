/** Wakes waiting tasks when something has changed. */
export class ChangeSignal {
  readonly #listeners: (() => void)[] = [];

  notify(): void {
    for (const resolve of this.#listeners.splice(0)) resolve();
  }

  /** Resolves with the next change. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.#listeners.push(resolve));
  }
}
