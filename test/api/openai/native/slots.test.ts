import { describe, expect, it } from "vitest";
import { eventually } from "../../../support/eventually.js";
import { deferred, ScriptedEngine } from "../../../support/scripted-engine.js";
import { buildTestApp } from "../../../support/test-app.js";

const idle = { n_ctx: 100, speculative: false, is_processing: false };

describe("GET /slots", () => {
  it("tells what each slot is doing, without texts", async () => {
    const { promise, resolve } = deferred();
    const engine = new ScriptedEngine(() => ({
      parts: ["One", " two"],
      before: (index) => (index === 1 ? promise : undefined),
    }));
    const { app } = buildTestApp(engine);
    const slots = async () => (await app.inject("/slots")).json();
    expect(await slots()).toEqual([
      { id: 0, ...idle },
      { id: 1, ...idle },
    ]);
    const messages = [{ role: "user", content: "Hello" }];
    const payload = { messages, max_tokens: 9 };
    const answer = app.inject({ method: "POST", url: "/v1/chat/completions", payload });
    const running = {
      id: 0,
      n_ctx: 100,
      speculative: false,
      is_processing: true,
      id_task: 0,
      n_prompt_tokens: 5,
      n_prompt_tokens_cache: 1,
      next_token: [{ has_next_token: true, n_remain: 8, n_decoded: 1 }],
    };
    await eventually(async () => expect(await slots()).toEqual([running, { id: 1, ...idle }]));
    resolve();
    expect((await answer).statusCode).toBe(200);
    await eventually(async () => expect(await slots()).toMatchObject([idle, idle]));
    await app.close();
  });

  it("is for a model that generates, which may be named", async () => {
    const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })));
    expect((await app.inject("/slots?model=scripted")).json()).toHaveLength(2);
    const unknown = await app.inject("/slots?model=other");
    expect(unknown.json().error).toMatchObject({ code: "model_not_found", param: "model" });
    expect((await app.inject("/slots?model=")).json().error.param).toBe("model");
    await app.close();
  });
});
