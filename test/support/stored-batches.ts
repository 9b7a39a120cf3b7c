import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  type OpenBatches,
  type OpenBatchesOptions,
  openBatches,
} from "../../src/batches/open-batches.js";
import { batchOptions } from "./batch-options.js";
import { temporaryFolder } from "./temporary-folder.js";

export interface StoredBatchesOptions extends Partial<OpenBatchesOptions> {
  /** @default a new one */
  readonly folder?: string;
}

/** Opens files and batches in a folder until the test finishes. */
export async function openStoredBatches({
  folder,
  ...options
}: StoredBatchesOptions = {}): Promise<OpenBatches> {
  const opened = await openBatches(folder ?? join(await temporaryFolder(), "batches"), {
    ...batchOptions,
    ...options,
  });
  onTestFinished(opened.close);
  return opened;
}
