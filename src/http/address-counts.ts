/** Counts items, such as connections, per client address. */
export class AddressCounts {
  readonly #counts = new Map<string, number>();

  /**
   * Adds one item of an address.
   * @returns the new count of the address
   */
  add(address: string): number {
    const count = (this.#counts.get(address) ?? 0) + 1;
    this.#counts.set(address, count);
    return count;
  }

  remove(address: string): void {
    const left = (this.#counts.get(address) ?? 0) - 1;
    if (left > 0) this.#counts.set(address, left);
    else this.#counts.delete(address);
  }
}
