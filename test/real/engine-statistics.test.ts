import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeF32Twin } from "../../models/gguf/f32-twin.js";
import { generate, openEngine } from "../support/generate.js";
import { shippedModel } from "../support/shipped-model.js";

const story = "Tell me a long story about a ship, its captain Nora, the sea and a storm.";

test("an engine reports its counters and its memory", async () => {
  // In f32, which rounds least, so that a draft matches the text without one.
  const folder = mkdtempSync(join(tmpdir(), "ggufd-"));
  const model = join(folder, "twin.gguf");
  writeF32Twin(shippedModel, model);
  const engine = await openEngine(model, { slots: 2 });
  try {
    expect(engine.statistics).toMatchObject({ promptTokens: 0, stepSeconds: { count: 0 } });
    const options = { stopping: { maxTokens: 60 } };
    // From a new engine, which tries unmeasured options, so that drafts do not depend on the
    // machine.
    const plain = await openEngine(model, { slots: 1, speculation: "off" });
    const { text: prediction } = await generate(plain, story, options);
    await plain.close();
    const first = await generate(engine, story, { ...options, prediction });
    const second = await generate(engine, story, options);
    const { promptTokens = 0, cachedTokens = 0 } = second.usage ?? {};
    const statistics = engine.statistics;
    if (statistics === undefined) throw new Error("no statistics");
    expect(cachedTokens).toBeGreaterThan(0);
    expect(statistics.promptTokens).toBe(2 * promptTokens);
    expect(statistics.cachedTokens).toEqual({ kv: cachedTokens, ram: 0, disk: 0 });
    expect(statistics.prefillTokens).toBe(2 * promptTokens - cachedTokens);
    const drafts = Object.values(statistics.drafts);
    const timings = [first, second].map((answer) => answer.timings);
    const total = (counts: readonly (number | undefined)[]) =>
      counts.reduce<number>((sum, count = 0) => sum + count, 0);
    expect(total(drafts.map(({ proposed }) => proposed))).toBe(
      total(timings.map((one) => one?.draftTokens)),
    );
    expect(total(drafts.map(({ accepted }) => accepted))).toBe(
      total(timings.map((one) => one?.acceptedDraftTokens)),
    );
    expect(statistics.drafts.prediction.accepted).toBeGreaterThan(0);
    const { cells, stepGenerations, stepSeconds, stepTokens } = statistics;
    expect(cells.busy).toBe(0);
    expect(cells.cached).toBeGreaterThan(promptTokens);
    expect(cells.total).toBeGreaterThanOrEqual(cells.cached);
    expect(stepGenerations.sum).toBe(stepGenerations.count);
    expect(stepTokens.sum).toBeGreaterThan(statistics.prefillTokens + statistics.decodeTokens);
    expect(stepSeconds.sum).toBeGreaterThan(0);
    expect(structuredClone(statistics)).toEqual(statistics);
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true });
  }
});
