import { describe, expect, it, onTestFinished } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

const LONG = "x".repeat(3 * 1024 * 1024);
const reference = { type: "item_reference", id: "msg_long" };
const long = { role: "user", id: "msg_long", content: LONG };

/** Application with an unlimited context size and a stored item of several megabytes. */
async function appWithLongItem() {
  const engine = new ScriptedEngine(() => ({ parts: ["ok"] }), { contextSize: 1e9 });
  const { app } = buildTestApp(engine);
  onTestFinished(() => app.close());
  const post = (path: string, payload: object) =>
    app.inject({ method: "POST", url: `/v1${path}`, payload });
  const { id } = (await post("/conversations", { items: [long] })).json();
  const last = (await post("/responses", { input: [long] })).json().id;
  return { engine, post, conversation: id as string, last: last as string };
}

const refusedAt = (param: string) => ({
  error: {
    code: "invalid_request",
    param,
    message: expect.stringContaining(
      "expected a conversation of at most 5000 items and 4194304 bytes, got more",
    ),
  },
});

describe("a stored conversation that exceeds the size limit", () => {
  it.each([
    ["/conversations", "items"],
    ["/responses", "input"],
    ["/responses/input_tokens", "input"],
  ])("is rejected if a request references an item several times: %s", async (path, field) => {
    const { post } = await appWithLongItem();
    expect(await post(path, { [field]: [reference] })).toHaveStatus(200);
    const refused = await post(path, { [field]: [reference, reference] });
    expect(refused).toHaveStatus(400);
    expect(refused.json()).toMatchObject(refusedAt(field));
  });

  it("is rejected before generation if a request continues it", async () => {
    const { engine, post, conversation, last } = await appWithLongItem();
    const generated = engine.requests.length;
    const goOn = { conversation, previous_response_id: last };
    for (const [field, id] of Object.entries(goOn)) {
      const refused = await post("/responses", { input: LONG, [field]: id });
      expect(refused).toHaveStatus(400);
      expect(refused.json()).toMatchObject(refusedAt(field));
    }
    expect(engine.requests).toHaveLength(generated);
  });

  it("is rejected if items are added, and stays unchanged", async () => {
    const { post, conversation } = await appWithLongItem();
    const add = (items: readonly object[]) =>
      post(`/conversations/${conversation}/items`, { items });
    expect(await add([{ ...long, id: "msg_other" }])).toHaveStatus(400);
    const many = Array.from({ length: 3_000 }, () => ({ role: "user", content: "" }));
    expect(await add(many)).toHaveStatus(200);
    const refused = await add(many);
    expect(refused.json()).toMatchObject(refusedAt("items"));
    expect(await add([{ role: "user", content: "There is room for this." }])).toHaveStatus(200);
  });
});
