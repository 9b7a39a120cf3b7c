/** Cuts a string or bytes at any positions; positions outside it do nothing. Pieces may be empty. */
export function cutInto<
  Whole extends { readonly length: number; slice(from: number, to: number): Whole },
>(whole: Whole, positions: readonly number[]): Whole[] {
  const ends = [...positions.filter((position) => position < whole.length), whole.length];
  let from = 0;
  return ends
    .toSorted((a, b) => a - b)
    .map((to) => {
      const piece = whole.slice(from, to);
      from = to;
      return piece;
    });
}
