import fc from "fast-check";
import { test } from "vitest";
import { operations } from "./operations.js";
import { report } from "./report.js";
import { StoreUnderTest } from "./store-under-test.js";

const OPERATIONS = 100_000;
const RUNS_PER_BATCH = 50;

test(`${OPERATIONS} random operations give the results of a reference model`, async () => {
  const done = new Map<string, number>();
  let total = 0;
  let runs = 0;
  while (total < OPERATIONS) {
    await fc.assert(
      fc.asyncProperty(operations, async (list) => {
        await new StoreUnderTest().run(list);
        for (const { kind } of list) done.set(kind, (done.get(kind) ?? 0) + 1);
        total += list.length;
        runs += 1;
      }),
      { numRuns: RUNS_PER_BATCH },
    );
  }
  const kinds = [...done].map(([kind, count]) => `${count} ${kind}`);
  report(`operations: ${total} in ${runs} runs (${kinds.join(", ")})`);
  // Each operation is compared with a reference model.
}, 600_000);
