import { describe, expect, it } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

function serve() {
  const engine = new ScriptedEngine(() => ({ parts: ["Yes."] }));
  const { app } = buildTestApp(engine);
  const messages = [{ role: "user", content: "Why?" }];
  const post = (payload: object) =>
    app.inject({ method: "POST", url: "/v1/chat/completions", payload: { messages, ...payload } });
  return { post, request: () => engine.requests[0] };
}

const NAMES = [
  "reasoning_budget_tokens",
  "reasoning_budget",
  "thinking_budget_tokens",
  "thinking_budget",
  "thinking_token_budget",
];

describe("a reasoning budget", () => {
  it.each(NAMES)("is set by the field %s", async (name) => {
    for (const maxTokens of [0, 1, 4096]) {
      const { post, request } = serve();
      expect((await post({ [name]: maxTokens })).statusCode).toBe(200);
      expect(request()?.reasoningBudget).toEqual({ maxTokens });
    }
  });

  it.each([...NAMES.flatMap((name) => [{ [name]: -1 }, { [name]: null }]), {}])(
    "is unlimited for %j",
    async (body) => {
      const { post, request } = serve();
      expect((await post(body)).statusCode).toBe(200);
      expect(request()?.reasoningBudget).toBeUndefined();
    },
  );

  it("is the first of several fields", async () => {
    const { post, request } = serve();
    const budgets = Object.fromEntries(NAMES.map((name, index) => [name, index + 1]));
    await post({ ...budgets, chat_template_kwargs: { thinking_budget: 9 } });
    expect(request()?.reasoningBudget).toEqual({ maxTokens: 1 });
  });

  it("is set by a template variable, which the template receives as well", async () => {
    const { post, request } = serve();
    await post({ chat_template_kwargs: { thinking_budget: 9, enable_thinking: true } });
    expect(request()?.reasoningBudget).toEqual({ maxTokens: 9 });
    expect(request()?.prompt.templateVariables).toEqual({
      thinking_budget: 9,
      enable_thinking: true,
    });
  });

  it("may include a message", async () => {
    const { post, request } = serve();
    await post({ reasoning_budget: 5, reasoning_budget_message: "Enough." });
    expect(request()?.reasoningBudget).toEqual({ maxTokens: 5, message: "Enough." });
  });

  it.each([
    ...NAMES.flatMap((name) => [-2, 1.5, "10", true, [1], {}].map((value) => ({ name, value }))),
    { name: "reasoning_budget_message", value: 3 },
    { name: "reasoning_budget_message", value: "x".repeat(10_001) },
  ])("is rejected with the field's name: $name", async ({ name, value }) => {
    const response = await serve().post({ [name]: value });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ error: { code: "invalid_request", param: name } });
  });

  it.each([-2, 1.5, "10", {}])("is rejected as a template variable: %j", async (value) => {
    const response = await serve().post({ chat_template_kwargs: { thinking_budget: value } });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      error: {
        param: "chat_template_kwargs.thinking_budget",
        message: expect.stringContaining("expected an integer of at least -1, got"),
      },
    });
  });
});
