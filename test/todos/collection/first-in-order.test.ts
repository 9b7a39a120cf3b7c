import fc from "fast-check";
import { expect, test } from "vitest";
import { selectFirst } from "../../../src/todos/collection/todo-page.js";

const ascending = (a: number, b: number) => a - b;

test("firstInOrder returns the first items in order, for any number of items", () => {
  const items = fc.array(fc.integer({ min: -50, max: 5000 }), { maxLength: 4000, size: "max" });
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 101 }), (all, count) => {
      expect(selectFirst(all, count, ascending)).toEqual(all.toSorted(ascending).slice(0, count));
    }),
  );
});

test.each([
  ["ascending", (n: number) => n],
  ["descending", (n: number) => -n],
  ["equal", () => 1],
])(
  "firstInOrder needs little more than one comparison per item for many %s items",
  (_name, value) => {
    let comparisons = 0;
    const all = Array.from({ length: 100_000 }, (_, n) => value(n));
    const counting = (a: number, b: number) => {
      comparisons += 1;
      return a - b;
    };
    expect(selectFirst(all, 100, counting)).toEqual(all.toSorted(ascending).slice(0, 100));
    expect(comparisons).toBeLessThan(3 * all.length);
  },
);
