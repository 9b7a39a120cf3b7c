import { expect, it, onTestFinished } from "vitest";
import { eventually } from "../../support/eventually.js";
import { deferred, ScriptedEngine, type ScriptedPart } from "../../support/scripted-engine.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";

const chat = { messages: [{ role: "user", content: "Hi" }] };

/** Application whose engine stops after one part of each answer. */
function appWith(part: ScriptedPart, options: TestAppOptions = {}) {
  const release = deferred();
  const engine = new ScriptedEngine(() => ({
    parts: [part, "The answer"],
    before: (index) => (index === 1 ? release.promise : undefined),
  }));
  const { app } = buildTestApp(engine, options);
  onTestFinished(async () => {
    release.resolve();
    await app.close();
  });
  const as = (key: string) => ({ ...(key !== "" && { authorization: `Bearer ${key}` }) });
  const begin = async (fields: object = { reasoning_control: true }, key = "") => {
    const sent = app.inject({
      method: "POST",
      url: "/v1/chat/completions",
      headers: as(key),
      payload: { ...chat, ...fields },
    });
    await eventually(() => expect(engine.started).not.toHaveLength(0));
    return { sent, id: engine.requests[0]?.id ?? "" };
  };
  const control = (payload: object, key = "", url = "/v1/chat/completions/control") =>
    app.inject({ method: "POST", url, headers: as(key), payload });
  return { engine, begin, control, release };
}

const reasoning = { reasoning: "Hm" };

it.each(["/v1/chat/completions/control", "/chat/completions/control"])(
  "%s ends the reasoning of a running completion",
  async (url) => {
    const { engine, begin, control, release } = appWith(reasoning);
    const { sent, id } = await begin();
    expect(engine.requests[0]?.reasoningControl).toEqual({});
    const ended = await control({ id, action: "reasoning_end" }, "", url);
    expect([ended.statusCode, ended.json()]).toEqual([200, { success: true }]);
    release.resolve();
    expect((await sent).json().choices[0].message.content).toBe("The answer");
    expect((await control({ id, action: "reasoning_end" })).statusCode).toBe(404);
  },
);

it("ends the reasoning of every choice", async () => {
  const { engine, begin, control } = appWith(reasoning);
  const { id } = await begin({ reasoning_control: true, n: 2 });
  await eventually(() => expect(engine.started).toHaveLength(2));
  expect((await control({ id, action: "reasoning_end" })).statusCode).toBe(200);
  expect(engine.endedReasoning).toEqual([id, `${id}-1`]);
});

it("passes on the message that ends the reasoning", async () => {
  const { engine, begin } = appWith(reasoning);
  await begin({ reasoning_control: true, reasoning_budget_message: "Enough." });
  expect(engine.requests[0]).toMatchObject({
    reasoningBudget: undefined,
    reasoningControl: { message: "Enough." },
  });
});

it.each([
  [
    "that was requested without reasoning_control",
    reasoning,
    {},
    "id: expected a completion that was requested with reasoning_control, got another.",
  ],
  [
    "that is not reasoning",
    "Text",
    { reasoning_control: true },
    "id: expected a completion that is reasoning, got one that is not.",
  ],
])("refuses a completion %s", async (_, part, fields, message) => {
  const { begin, control } = appWith(part);
  const { id } = await begin(fields);
  const refused = await control({ id, action: "reasoning_end" });
  expect([refused.statusCode, refused.json().error.message]).toEqual([400, message]);
});

it("does not find the completion of another key", async () => {
  const { begin, control } = appWith(reasoning, {
    keyLines: ["a-key name=alice", "b-key name=bob"],
  });
  const { id } = await begin({ reasoning_control: true }, "a-key");
  const body = { id, action: "reasoning_end" };
  const refused = await control(body, "b-key");
  expect([refused.statusCode, refused.json().error.param]).toEqual([404, "id"]);
  expect((await control(body, "a-key")).statusCode).toBe(200);
});

it.each([
  [{ action: "reasoning_end" }, "id"],
  [{ id: "", action: "reasoning_end" }, "id"],
  [{ id: "chatcmpl-1" }, "action"],
  [{ id: "chatcmpl-1", action: "stop" }, "action"],
])("refuses %j", async (body, param) => {
  const { control } = appWith(reasoning);
  const refused = await control(body);
  expect([refused.statusCode, refused.json().error.param]).toEqual([400, param]);
});
