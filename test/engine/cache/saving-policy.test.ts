import { expect, test } from "vitest";
import { isWorthSaving } from "../../../src/engine/cache/saving-policy.js";

test.each<[string, number, number | undefined, number | undefined, boolean]>([
  ["a long state while all costs are unknown", 64, undefined, undefined, true],
  ["no short state", 63, undefined, undefined, false],
  [
    "a state that takes less time to write and read than its prompt to evaluate",
    4000,
    0.1,
    1.5,
    true,
  ],
  ["a state that takes as long to write and read as its prompt to evaluate", 4000, 0.1, 0.2, true],
  ["no state whose prompt a GPU evaluates faster", 4000, 0.1, 0.12, false],
  ["a state while only one of the costs is known", 4000, 9, undefined, true],
])("saves %s", (_, tokens, msPerSavedToken, msPerPrefillToken, isWorth) => {
  expect(isWorthSaving(tokens, { msPerSavedToken, msPerPrefillToken })).toBe(isWorth);
});
