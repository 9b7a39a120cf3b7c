import { describe, expect, test } from "vitest";
import { loadConfig } from "../src/config/load-config.js";
import { runPlan } from "../src/plan-command.js";
import { shippedModel } from "./support/shipped-model.js";

const configOf = (flags: object) =>
  loadConfig({ flags: { model: shippedModel, gpu: "off", ...flags }, environment: {} }).config;
const onThisMachine = { memoryGiB: undefined, gpuMemoryGiB: undefined };

describe("ggufd plan", () => {
  test("prints what the model takes here and what else fits", async () => {
    const text = await runPlan(configOf({}), { output: "text", ...onThisMachine });
    expect(text).toContain(shippedModel);
    expect(text).toMatch(/weights +\d+ MiB/);
    expect(text).toMatch(/--parallel \d+ --context-size 2048/);
    expect(text).not.toContain("does not fit");
  });

  test("says why a configuration does not fit, and what would", async () => {
    const config = configOf({ parallel: "64", contextSize: "4096" });
    const text = await runPlan(config, { output: "text", memoryGiB: 1, gpuMemoryGiB: undefined });
    expect(text).toContain("It does not fit: the weights take");
    expect(text).toMatch(/--parallel \d+ would fit/);
  });

  test("prints the same as JSON", async () => {
    const text = await runPlan(configOf({ parallel: "2", contextSize: "1024" }), {
      output: "json",
      memoryGiB: 8,
      gpuMemoryGiB: 4,
    });
    expect(JSON.parse(text)).toMatchObject({
      model: shippedModel,
      shortage: null,
      wouldFit: [],
      plan: { slots: 2, contextSize: 1024, memory: { gpu: "separate" } },
    });
  });
});
