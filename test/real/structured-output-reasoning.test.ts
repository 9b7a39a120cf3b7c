import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import type { GenerationRequest } from "../../src/core/generation-request.js";
import type { PromptPreparer } from "../../src/engine/prompt-preparer.js";
import { openEngine, preparerOf } from "../support/generate.js";
import { writeModelWithBeginning } from "../support/reasoning-model.js";
import { startRequest } from "../support/start-request.js";

const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));

let engine: Engine;
let preparer: PromptPreparer;
beforeAll(async () => {
  const path = writeModelWithBeginning(folder, '{{- "<think>\\n" -}}');
  engine = await openEngine(path, { slots: 2, contextSize: 1024 });
  preparer = await preparerOf(path, { contextSize: 1024 });
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

const schema = {
  type: "object",
  properties: { sum: { type: "integer", minimum: 0, maximum: 99 } },
  required: ["sum"],
  additionalProperties: false,
};

const request = (seed: number, maxTokens: number): GenerationRequest => ({
  id: `${seed}-${maxTokens}`,
  prompt: {
    type: "chat",
    messages: [{ role: "user", content: "What is 12 + 7?" }],
    tools: [],
    templateVariables: { enable_thinking: true },
  },
  sampling: seed === 0 ? { temperature: 0 } : { temperature: 0.7, seed },
  stopping: { maxTokens, minTokens: 0, stop: [], ignoreEos: false },
  constraint: { constraint: { type: "json-schema", schema }, field: "json_schema" },
});

async function answer(seed: number, maxTokens = 300) {
  const asked = request(seed, maxTokens);
  expect(preparer.prepare(asked).reading.beginsWith).toBe("reasoning");
  const parts = { reasoning: "", content: "" };
  return new Promise<typeof parts & { reason: string }>((resolve, reject) => {
    startRequest(engine, asked, (event) => {
      if (event.type === "reasoning-delta") parts.reasoning += event.text;
      if (event.type === "text-delta") parts.content += event.text;
      if (event.type === "finished") resolve({ ...parts, reason: event.reason });
      if (event.type === "failed") reject(event.error);
    }).catch(reject);
  });
}

it("a schema constrains the answer, but not the reasoning opened by the template", async () => {
  const answers = await Promise.all([0, 1, 2, 3].map((seed) => answer(seed)));
  const ended = answers.filter(({ reason }) => reason === "stop");
  expect(ended.length).toBeGreaterThan(0);
  for (const { reasoning, content } of ended) {
    expect(reasoning).toMatch(/\w/);
    expect(content).toMatch(/^\s*\{\s*"sum":\s*\d{1,2}\s*\}$/);
  }
});

it("reasoning that is cut off by the token limit is followed by no content", async () => {
  const { reasoning, content, reason } = await answer(0, 3);
  expect({ content, reason }).toEqual({ content: "", reason: "length" });
  expect(reasoning).not.toBe("");
});
