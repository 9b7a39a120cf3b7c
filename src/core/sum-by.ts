/** Returns the sum of the amounts of all items; 0 for an empty list. */
export function sumBy<Item>(items: readonly Item[], amountOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + amountOf(item), 0);
}
