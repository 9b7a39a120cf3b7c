import fc from "fast-check";
import { test } from "vitest";
import { operations } from "./operations.js";
import { report } from "./report.js";
import { StoreUnderTest } from "./store-under-test.js";

const OPERATIONS = 100_000;
const RUNS_AT_ONCE = 50;

test(`${OPERATIONS} random operations show and answer what a naive telling says`, async () => {
  const done = new Map<string, number>();
  let total = 0;
  let runs = 0;
  while (total < OPERATIONS) {
    await fc.assert(
      fc.asyncProperty(operations, async (list) => {
        await new StoreUnderTest().live(list);
        for (const { kind } of list) done.set(kind, (done.get(kind) ?? 0) + 1);
        total += list.length;
        runs += 1;
      }),
      { numRuns: RUNS_AT_ONCE },
    );
  }
  const kinds = [...done].map(([kind, count]) => `${count} ${kind}`);
  report(`operations: ${total} in ${runs} runs (${kinds.join(", ")})`);
}, 600_000);
