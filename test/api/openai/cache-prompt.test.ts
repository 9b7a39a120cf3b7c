import { describe, expect, it } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

const messages = [{ role: "user", content: "Hello!" }];

describe.each([
  ["/v1/chat/completions", { messages }],
  ["/v1/completions", { prompt: "a" }],
  ["/completion", { prompt: "a", n_cmpl: 2 }],
  ["/completions", { prompt: "a" }],
  ["/infill", { input_prefix: "a", input_suffix: "b" }],
])("cache_prompt of %s", (url, body) => {
  async function post(fields: object) {
    const engine = new ScriptedEngine(() => ({ parts: ["b"] }), {
      slots: 2,
      rawScript: () => ({ parts: ["b"] }),
    });
    const { app } = buildTestApp(engine);
    const payload = { ...body, ...fields };
    const response = await app.inject({ method: "POST", url, payload });
    return { response, asked: [...engine.requests, ...engine.rawRequests] };
  }

  it("re-evaluates the prompt if false", async () => {
    const { response, asked } = await post({ cache_prompt: false });
    expect(response).toHaveStatus(200);
    expect(asked.map(({ evaluation }) => evaluation)).toEqual(["anew"]);
  });

  it.each([{}, { cache_prompt: true }, { cache_prompt: null }])(
    "has no effect otherwise: %j",
    async (fields) => {
      const { asked } = await post(fields);
      expect(asked.map(({ evaluation }) => evaluation)).toEqual([undefined]);
    },
  );

  it("is rejected unless a boolean", async () => {
    const { response } = await post({ cache_prompt: "no" });
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({
      param: "cache_prompt",
      message: expect.stringContaining('expected true or false, got "no"'),
    });
  });
});
