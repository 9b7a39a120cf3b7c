/** A clock that moves only when it is advanced. */
export class TestClock {
  #now: number;

  /** @param start RFC 3339 */
  constructor(start: string) {
    this.#now = Date.parse(start);
  }

  readonly now = (): number => this.#now;

  /** @returns the new time in the format of items */
  advance(milliseconds: number): string {
    this.#now += milliseconds;
    return new Date(this.#now).toISOString();
  }
}
