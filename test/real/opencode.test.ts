import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../support/generate.js";
import { installedOpencode, OPENCODE_TIMEOUT, runOpencode } from "../support/opencode.js";
import { modelWithContext } from "../support/random-models.js";
import { type RunningApp, runApp } from "../support/running-app.js";

const CONTEXT_SIZE = 32_768;

let server: RunningApp;
beforeAll(async () => {
  const model = modelWithContext(CONTEXT_SIZE);
  const settings = { slots: 2, contextSize: CONTEXT_SIZE, batchSize: 512, seed: 1 };
  server = await runApp(await openEngine(model, settings));
});
afterAll(() => server.close());

describe("opencode, with a model of random weights", () => {
  it("gets its prompt with its tools evaluated, and text", {
    timeout: OPENCODE_TIMEOUT,
  }, async (context) => {
    const { events, outsideConnections } = await runOpencode("What is the answer?", {
      program: installedOpencode(context),
      url: server.url,
      apiKey: "none",
      provider: "@ai-sdk/openai-compatible",
      limit: { context: CONTEXT_SIZE, output: 40 },
      files: {},
    });
    expect(outsideConnections).toBe(0);
    expect(events.map(({ type }) => type)).toEqual(["step_start", "text", "step_finish"]);
    expect(events[1]?.part.text).toMatch(/\w/);
    expect(events[2]?.part.tokens).toMatchObject({ output: 40 });
    expect(events[2]?.part.tokens?.input).toBeGreaterThan(5_000);
  });
});
