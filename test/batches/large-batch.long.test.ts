import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { readLines } from "../../src/batches/read-lines.js";
import { chatLine } from "../support/batch-options.js";
import { eventually } from "../support/eventually.js";
import { openStoredBatches } from "../support/stored-batches.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const LINES = 50_000;
const LINE_BYTES = 4_000;
const MIB = 2 ** 20;

/** Far below the 200 MB of the input, and above what 50,000 pending lines take. */
const MAX_GROWTH_BYTES = 80 * MIB;

async function* inputLines() {
  const text = "word ".repeat(LINE_BYTES / 5);
  for (let line = 0; line < LINES; line++) {
    yield Buffer.from(`${chatLine(`line-${line}`, `${line % 50} ${text} ${line}`)}\n`);
  }
}

function usedBytes(): number {
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

test(`${LINES} lines of 200 MB run in constant memory`, async () => {
  const folder = join(await temporaryFolder(), "batches");
  const { batches } = await openStoredBatches({ folder, linesAtOnce: 16 });
  let peak = 0;
  const before = usedBytes();
  const measure = () => {
    peak = Math.max(peak, usedBytes());
  };
  const body = JSON.stringify({ text: "y".repeat(500) });
  let answered = 0;
  batches.start(async () => {
    await setImmediate();
    if (answered++ % 100 === 0) measure();
    return { status: 200, requestId: "req", body };
  });
  const content = await batches.files.receive("", inputLines());
  expect(content.bytes).toBeGreaterThan(LINES * LINE_BYTES);
  const file = await content.keep({ owner: "", filename: "in", purpose: "batch" });
  const { id } = await batches.create("", {
    dialect: "openai",
    endpoint: "/v1/chat/completions",
    inputFileId: file.id,
    completionWindow: "24h",
    windowMs: 86_400_000,
  });
  const batch = await eventually(() => {
    measure();
    const current = batches.get("", "openai", id);
    expect(current.status).toBe("completed");
    return current;
  });
  expect(batch.counts).toMatchObject({ total: LINES, succeeded: LINES });
  expect((peak - before) / MIB).toBeLessThan(MAX_GROWTH_BYTES / MIB);
  const ids = new Set<string>();
  const output = await batches.files.openContent(batch.outputFileId ?? "");
  for await (const { bytes } of readLines(output, MIB)) {
    ids.add(JSON.parse(`${bytes}`).custom_id);
  }
  await output.close();
  expect(ids.size).toBe(LINES);
  // Fifty thousand results, each of which is synced with a few others.
}, 900_000);
