import { expect, test } from "vitest";
import { batchOptions } from "../../support/batch-options.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { bundleVictim, runBatch } from "./killed-batch.js";

const LINES = 300;

test("a batch whose process is killed has the results of an undisturbed one", async () => {
  const options = { program: await bundleVictim(await temporaryFolder()), lines: LINES };
  const undisturbed = await runBatch(await temporaryFolder(), { ...options, kills: 0 });
  expect(undisturbed.results).toHaveLength(LINES);
  const disturbed = await runBatch(await temporaryFolder(), { ...options, kills: 4 });
  expect(disturbed.status).toBe("completed");
  expect(disturbed.counts).toEqual(undisturbed.counts);
  expect(disturbed.results).toEqual(undisturbed.results);
  const repeated = disturbed.starts - undisturbed.starts;
  expect(repeated).toBeLessThanOrEqual(disturbed.kills * batchOptions.linesAtOnce);
  // Starts six processes.
}, 240_000);
