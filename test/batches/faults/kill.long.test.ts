import { expect, test } from "vitest";
import { batchOptions } from "../../support/batch-options.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { bundleVictim, runBatch } from "./killed-batch.js";

const LINES = 2000;
const KILLS = 50;

test(`a batch of ${LINES} lines survives ${KILLS} kills at random moments`, async () => {
  const options = { program: await bundleVictim(await temporaryFolder()), lines: LINES };
  const undisturbed = await runBatch(await temporaryFolder(), { ...options, kills: 0 });
  let kills = 0;
  while (kills < KILLS) {
    const folder = await temporaryFolder();
    const disturbed = await runBatch(folder, { ...options, kills: KILLS - kills });
    expect(disturbed.counts).toEqual(undisturbed.counts);
    expect(disturbed.results).toEqual(undisturbed.results);
    const repeated = disturbed.starts - undisturbed.starts;
    expect(repeated).toBeLessThanOrEqual(disturbed.kills * batchOptions.linesAtOnce);
    kills += disturbed.kills;
  }
  // Each kill needs a process, which takes seconds to start.
}, 1_200_000);
