import { expect, test } from "vitest";
import { isWorthSaving } from "../../../src/engine/cache/saving-policy.js";

test.each<[string, number, number | undefined, number | undefined, boolean]>([
  ["a long state while nothing is known", 64, undefined, undefined, true],
  ["a short state never", 63, undefined, undefined, false],
  ["a state that is written and read in less than its prompt takes", 4000, 0.1, 1.5, true],
  ["a state that takes as long as its prompt", 4000, 0.1, 0.2, true],
  ["no state that a GPU evaluates sooner", 4000, 0.1, 0.12, false],
  ["a state as long as only one price is known", 4000, 9, undefined, true],
])("saves %s", (_, tokens, msPerSavedToken, msPerPrefillToken, isWorth) => {
  expect(isWorthSaving(tokens, { msPerSavedToken, msPerPrefillToken })).toBe(isWorth);
});
