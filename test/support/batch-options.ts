import { messageResults } from "../../src/api/anthropic/batches/result-format.js";
import { openAiResults } from "../../src/api/batches/result-format.js";
import type { OpenBatchesOptions } from "../../src/batches/open-batches.js";
import { keylessOwners } from "../../src/core/store-quota.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Options of files and batches with limits that tests do not reach. */
export const batchOptions: OpenBatchesOptions = {
  owners: keylessOwners,
  maxBytes: 2 ** 30,
  maxAgeMs: 30 * DAY_MS,
  maxLineBytes: 2 ** 20,
  linesAtOnce: 4,
  formats: { openai: openAiResults, anthropic: messageResults },
  weightOf: () => 1,
  onProblem: (message, details) => {
    throw new Error(`${message}: ${JSON.stringify(details)}`);
  },
};

/** A line of an input file for chat completions. */
export function chatLine(customId: string, content: string, body: object = {}): string {
  return JSON.stringify({
    custom_id: customId,
    method: "POST",
    url: "/v1/chat/completions",
    body: { model: "scripted", messages: [{ role: "user", content }], ...body },
  });
}
