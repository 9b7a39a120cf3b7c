/**
 * A list whose items are made one by one, when they are printed: a long one is never there as a whole. An item may be made
 * more than once. JSON has an array for it.
 */
export class LazyList<Item> {
  readonly length: number;
  readonly itemAt: (index: number) => Item;

  constructor(length: number, itemAt: (index: number) => Item) {
    this.length = length;
    this.itemAt = itemAt;
  }

  /** A list of what is made of the items of another one. */
  static from<Source, Item>(
    sources: ArrayLike<Source>,
    toItem: (source: Source, index: number) => Item,
  ): LazyList<Item> {
    return new LazyList(sources.length, (index) => toItem(sources[index] as Source, index));
  }

  toJSON(): Item[] {
    return Array.from({ length: this.length }, (_, index) => this.itemAt(index));
  }
}
