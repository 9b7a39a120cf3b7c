import { describe, expect, it } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

function serve() {
  const engine = new ScriptedEngine(() => ({ parts: ["Yes."] }));
  const { app } = buildTestApp(engine);
  const messages = [{ role: "user", content: "Why?" }];
  const post = (payload: object) =>
    app.inject({ method: "POST", url: "/v1/chat/completions", payload: { messages, ...payload } });
  return { post, variables: () => engine.requests[0]?.prompt.templateVariables };
}

describe("reasoning_effort", () => {
  it.each(["none", "minimal", "low", "medium", "high", "xhigh", "max"])(
    "reaches the chat template: %s",
    async (effort) => {
      const { post, variables } = serve();
      expect((await post({ reasoning_effort: effort })).statusCode).toBe(200);
      expect(variables()).toEqual({ reasoning_effort: effort });
    },
  );

  it.each([{}, { reasoning_effort: null }])(
    "is not passed to the template if absent: %j",
    async (body) => {
      const { post, variables } = serve();
      await post(body);
      expect(variables()).toEqual({});
    },
  );

  it("can be combined with template variables, which take precedence", async () => {
    const { post, variables } = serve();
    await post({
      reasoning_effort: "low",
      chat_template_kwargs: { enable_thinking: true, reasoning_effort: "deep" },
    });
    expect(variables()).toEqual({ reasoning_effort: "deep", enable_thinking: true });
  });

  it.each(["", "LOW", "extreme", 3, true, ["low"], {}])(
    "is rejected by name: %j",
    async (effort) => {
      const response = await serve().post({ reasoning_effort: effort });
      expect(response.statusCode).toBe(400);
      expect(response.json()).toMatchObject({
        error: {
          code: "invalid_request",
          param: "reasoning_effort",
          message: expect.stringContaining("expected one of none, minimal, low, medium, high"),
        },
      });
    },
  );
});
