import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import type { GenerationRequest } from "../../src/core/generation-request.js";
import type { OutputConstraint } from "../../src/core/output-constraint.js";
import { openEngine } from "../support/generate.js";
import { shippedToken, writeModelWithBeginning } from "../support/reasoning-model.js";
import { startRequest } from "../support/start-request.js";

const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function answer(engine: Engine, request: Partial<GenerationRequest> = {}, maxTokens = 60) {
  const asked: GenerationRequest = {
    id: `${Math.random()}`,
    prompt: {
      type: "chat",
      messages: [{ role: "user", content: "What is 12 + 7?" }],
      tools: [],
      templateVariables: {},
    },
    sampling: { temperature: 0 },
    stopping: { maxTokens, minTokens: 0, stop: [], ignoreEos: false },
    ...request,
  };
  const parts = { reasoning: "", content: "", scored: "" };
  return new Promise<
    typeof parts & { reason: string; reasoningTokens: number; completionTokens: number }
  >((resolve, reject) => {
    startRequest(engine, asked, (event) => {
      if (event.type === "reasoning-delta") parts.reasoning += event.text;
      if (event.type === "text-delta") {
        parts.content += event.text;
        const bytes = event.scores?.flatMap((score) => score.bytes) ?? [];
        parts.scored += Buffer.from(bytes).toString();
      }
      if (event.type === "failed") reject(event.error);
      if (event.type !== "finished") return;
      const { reasoningTokens, completionTokens } = event.usage;
      resolve({ ...parts, reason: event.reason, reasoningTokens, completionTokens });
    }).catch(reject);
  });
}

const sum: OutputConstraint = {
  type: "json-schema",
  schema: {
    type: "object",
    properties: { sum: { type: "integer", minimum: 0, maximum: 99 } },
    required: ["sum"],
    additionalProperties: false,
  },
};
const constraint = { constraint: sum, field: "json_schema" } as const;

describe("a default reasoning budget", () => {
  let engine: Engine;
  beforeAll(async () => {
    const path = writeModelWithBeginning(folder, '{{- "<think>\\n" -}}');
    engine = await openEngine(path, { slots: 1, contextSize: 512, reasoningBudget: 3 });
  });
  afterAll(() => engine.close());

  it("limits conversations without a budget", async () => {
    const { reasoningTokens, content } = await answer(engine);
    expect(reasoningTokens).toBeLessThan(15);
    expect(content).toMatch(/\w/);
  });

  it("is overridden by the budget of a request", async () => {
    const { reasoning } = await answer(engine, { reasoningBudget: { maxTokens: 0 } });
    expect(reasoning).toBe("");
    const longer = await answer(engine, { reasoningBudget: { maxTokens: 30 } });
    expect(longer.reasoningTokens).toBeGreaterThan(30);
  });

  it("does not limit text without messages", async () => {
    const prompt = { type: "text", text: "<think>\nOne" } as const;
    expect((await answer(engine, { prompt }, 20)).completionTokens).toBe(20);
  });
});

describe.each(["auto", "off"] as const)(
  "reasoning opened by the template, with speculation %s",
  (speculation) => {
    let engine: Engine;
    beforeAll(async () => {
      const path = writeModelWithBeginning(folder, '{{- "<think>\\n" -}}');
      engine = await openEngine(path, { slots: 2, contextSize: 512, speculation });
    });
    afterAll(() => engine.close());

    it("ends when its budget is exhausted, and the answer follows", async () => {
      const free = await answer(engine);
      expect(free.content).toBe("");
      for (const maxTokens of [1, 5]) {
        const { reasoning, content, ...rest } = await answer(engine, {
          reasoningBudget: { maxTokens },
        });
        expect(free.reasoning.startsWith(reasoning)).toBe(true);
        expect(reasoning).not.toBe("");
        expect(content).toMatch(/\w/);
        expect(rest.reasoningTokens).toBeGreaterThan(maxTokens);
        expect(rest.reasoningTokens).toBeLessThan(maxTokens + 12);
      }
    });

    it("is closed immediately with a budget of 0", async () => {
      const { reasoning, content } = await answer(engine, { reasoningBudget: { maxTokens: 0 } });
      expect(reasoning).toBe("");
      expect(content).toMatch(/\w/);
    });

    it("ends with the budget message, and the answer still satisfies a schema", async () => {
      const reasoningBudget = { maxTokens: 6, message: "\nI have to answer now." };
      const given = await answer(engine, { reasoningBudget, constraint });
      expect(given.reasoning).toMatch(/\nI have to answer now\.$/);
      expect(given.content).toMatch(/^\{\s*"sum":\s*\d{1,2}\s*\}$/);
      expect(given.reason).toBe("stop");
    });

    it("has no log-probabilities, but the answer after it has", async () => {
      const given = await answer(engine, {
        reasoningBudget: { maxTokens: 4 },
        topLogProbabilities: 2,
      });
      expect(given.content).toMatch(/\w/);
      expect(given.scored).toBe(given.content);
    });

    it("is not changed by a budget that is large enough", async () => {
      const free = await answer(engine);
      expect(await answer(engine, { reasoningBudget: { maxTokens: 1000 } })).toEqual(free);
    });
  },
);

describe("optional reasoning", () => {
  let engine: Engine;
  beforeAll(async () => {
    const off = "{%- if enable_thinking is defined and not enable_thinking -%}";
    const closed = '{{- "<think>\\n\\n</think>\\n\\n" -}}';
    const path = writeModelWithBeginning(folder, `${off}${closed}{%- endif -%}`);
    engine = await openEngine(path, { slots: 2, contextSize: 512 });
  });
  afterAll(() => engine.close());

  /** A bias towards `<`, so that the model starts reasoning and continues it. */
  const opening = { temperature: 0, logitBias: new Map([[shippedToken("<"), 100]]) };

  it("can precede an answer constrained by a schema, and ends when its budget is exhausted", async () => {
    const reasoningBudget = { maxTokens: 5 };
    const given = await answer(engine, { sampling: opening, constraint, reasoningBudget });
    expect(given).toMatchObject({ reasoning: "<<<<<", reason: "stop" });
    expect(given.content).toMatch(/^\{\s*"sum":\s*\d{1,2}\s*\}$/);
  });

  it("can be omitted by the model", async () => {
    const answering = { temperature: 0, logitBias: new Map([[shippedToken("{"), 100]]) };
    const given = await answer(engine, { sampling: answering, constraint }, 300);
    expect(given).toMatchObject({ reasoning: "", reason: "stop", reasoningTokens: 0 });
    expect(given.content).toMatch(/^\{\s*"sum":\s*\d{1,2}\s*\}$/);
  });

  it("is disabled by a budget of 0 or by the template", async () => {
    for (const request of [
      { reasoningBudget: { maxTokens: 0 } },
      {
        prompt: {
          type: "chat" as const,
          messages: [],
          tools: [],
          templateVariables: { enable_thinking: false },
        },
      },
    ]) {
      const given = await answer(engine, { sampling: opening, constraint, ...request });
      expect(given).toMatchObject({ reasoning: "", reason: "stop", reasoningTokens: 0 });
      expect(given.content).toMatch(/^\{\s*"sum":\s*\d{1,2}\s*\}$/);
    }
  });

  it("continues from reasoning in the last message, and the rest is content", async () => {
    const messages = [
      { role: "user", content: "What is 12 + 7?" },
      { role: "assistant", content: "", reasoning: "12 + 7 is" },
    ] as const;
    const prompt = { type: "chat" as const, messages, tools: [], templateVariables: {} };
    const reasoningBudget = { maxTokens: 4 };
    const given = await answer(engine, { prompt, reasoningBudget, constraint });
    expect(given.reasoning).not.toBe("");
    expect(given.content).toMatch(/^\{\s*"sum":\s*\d{1,2}\s*\}$/);
  });
});
