/** A clock that stands still until it is told. */
export class TestClock {
  #now: number;

  /** @param start RFC 3339 */
  constructor(start: string) {
    this.#now = Date.parse(start);
  }

  readonly now = (): number => this.#now;

  /** Gives the new time as items have it. */
  advance(milliseconds: number): string {
    this.#now += milliseconds;
    return new Date(this.#now).toISOString();
  }
}
