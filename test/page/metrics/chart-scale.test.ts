import { expect, it } from "vitest";
import { chooseTop } from "../../../src/page/metrics/chart-scale.js";

it.each([
  [undefined, 10, 10],
  [0, 2, 2],
  [9, 10, 10],
  [10, 10, 10],
  [11, 10, 20],
  [39, 1, 40],
  [41, 1, 100],
  [1000, 1, 1000],
  [0.03, 0.02, 0.04],
  [0.004, 0.002, 0.004],
  [0.5, 1, 1],
])("the scale of values up to %j, at least up to %d, ends at %d", (maximum, least, top) => {
  expect(chooseTop(maximum, least)).toBe(top);
});
