/** Splits a string or bytes at any positions; positions outside are ignored. Chunks may be empty. */
export function splitAt<
  Whole extends { readonly length: number; slice(from: number, to: number): Whole },
>(whole: Whole, positions: readonly number[]): Whole[] {
  const ends = [...positions.filter((position) => position < whole.length), whole.length];
  let from = 0;
  return ends
    .toSorted((a, b) => a - b)
    .map((to) => {
      const chunk = whole.slice(from, to);
      from = to;
      return chunk;
    });
}
