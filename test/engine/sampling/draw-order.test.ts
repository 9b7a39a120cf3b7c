import { describe, expect, test } from "vitest";
import { type DrawOrder, DrawOrders } from "../../../src/engine/sampling/draw-order.js";

/** Orders for this many tokens, whose first samples are all allowed or all not allowed. */
function orders(from: DrawOrders, tokens: number, result: "hit" | "miss"): readonly DrawOrder[] {
  return Array.from({ length: tokens }, () => {
    const order = from.chooseOrder();
    if (order === "draw-first") from.learn(result);
    return order;
  });
}

const countOf = (wanted: DrawOrder, list: readonly DrawOrder[]) =>
  list.filter((order) => order === wanted).length;

describe("the order of sampling and masking", () => {
  test("samples first while sampled tokens are allowed", () => {
    expect(countOf("draw-first", orders(new DrawOrders(), 50, "hit"))).toBe(50);
  });

  test("still samples first if some sampled tokens are not allowed", () => {
    const some = new DrawOrders();
    for (let round = 0; round < 50; round++) {
      expect(orders(some, 2, "hit")).toEqual(["draw-first", "draw-first"]);
      expect(orders(some, 1, "miss")).toEqual(["draw-first"]);
    }
  });

  test("masks first if most sampled tokens are not allowed, except for one token in eight", () => {
    const bad = new DrawOrders();
    expect(countOf("draw-first", orders(bad, 10, "miss"))).toBeLessThan(6);
    expect(countOf("draw-first", orders(bad, 80, "miss"))).toBe(10);
  });

  test("returns to sampling first once sampled tokens are allowed again", () => {
    const changed = new DrawOrders();
    orders(changed, 40, "miss");
    orders(changed, 40, "hit");
    expect(countOf("draw-first", orders(changed, 40, "hit"))).toBe(40);
  });
});
