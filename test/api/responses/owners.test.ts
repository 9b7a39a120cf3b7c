import { describe, expect, onTestFinished, test } from "vitest";
import type { StoredItem } from "../../../src/api/responses/item-schema.js";
import { parseKeyLine } from "../../../src/config/keys/key-line.js";
import { ConversationStore } from "../../../src/conversations/conversation-store.js";
import { MEMORY_LIMITS } from "../../../src/conversations/open-conversations.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";

function appWith(options: TestAppOptions) {
  const engine = new ScriptedEngine(({ prompt }) =>
    prompt.messages.some(({ content }) => content === "never")
      ? { parts: [], ending: "never" }
      : { parts: ["ok"] },
  );
  const { app } = buildTestApp(engine, options);
  onTestFinished(() => app.close());
  const as = (key: string) => (method: "GET" | "POST" | "DELETE", path: string, payload?: object) =>
    app.inject({
      method,
      url: `/v1${path}`,
      headers: { "x-api-key": key },
      ...(payload && { payload }),
    });
  return { engine, as };
}

const keyLines = ["a name=alice", "b name=bob", "r name=reader access=read-only"];

describe("with another API key", () => {
  test.each([
    ["GET", ""],
    ["GET", "?stream=true"],
    ["GET", "/input_items"],
    ["POST", "/cancel"],
    ["DELETE", ""],
  ] as const)("a response does not exist: %s %s", async (method, below) => {
    const { as } = appWith({ keyLines });
    const running = { input: "never", background: true, stream: false };
    for (const body of [{ input: "Hi" }, running]) {
      const { id } = (await as("a")("POST", "/responses", body)).json();
      const foreign = await as("b")(method, `/responses/${id}${below}`);
      const absent = await as("b")(method, `/responses/resp_absent${below}`);
      expect(foreign.statusCode).toBe(404);
      expect(foreign.json().error.message).toBe(
        absent.json().error.message.replace("resp_absent", id),
      );
      expect((await as("a")("GET", `/responses/${id}`)).statusCode).toBe(200);
    }
  });

  test("a response cannot be read with a read-only key", async () => {
    const { as } = appWith({ keyLines });
    const { id } = (await as("a")("POST", "/responses", { input: "Hi" })).json();
    expect((await as("r")("GET", `/responses/${id}`)).statusCode).toBe(404);
  });

  test("a response cannot be continued", async () => {
    const { as } = appWith({ keyLines });
    const { id } = (await as("a")("POST", "/responses", { input: "secret" })).json();
    const body = { input: "Hi", previous_response_id: id };
    const refused = await as("b")("POST", "/responses", body);
    expect(refused.statusCode).toBe(400);
    expect(refused.json().error.code).toBe("previous_response_not_found");
    expect((await as("a")("POST", "/responses", body)).statusCode).toBe(200);
  });

  test("an item cannot be referenced or replaced", async () => {
    const { as, engine } = appWith({ keyLines });
    const message = (content: string) => ({
      items: [{ type: "message", id: "msg_same", role: "user", content }],
    });
    await as("a")("POST", "/conversations", message("of alice"));
    const input = [{ type: "item_reference", id: "msg_same" }];
    const refused = await as("b")("POST", "/responses", { input });
    expect([refused.statusCode, refused.json().error.code]).toEqual([404, "not_found"]);
    await as("b")("POST", "/conversations", message("of bob"));
    await as("b")("POST", "/responses", { input });
    await as("a")("POST", "/responses", { input });
    const asked = engine.requests.map(({ prompt }) => prompt.messages[0]?.content);
    expect(asked).toEqual(["of bob", "of alice"]);
  });

  test.each([
    ["GET", ""],
    ["POST", "", { metadata: {} }],
    ["DELETE", ""],
    ["GET", "/items"],
    ["POST", "/items", { items: [{ role: "user", content: "Hi" }] }],
    ["GET", "/items/msg_1"],
    ["DELETE", "/items/msg_1"],
  ] as const)("a conversation does not exist: %s %s", async (method, below, body?: object) => {
    const { as } = appWith({ keyLines });
    const items = [{ type: "message", id: "msg_1", role: "user", content: "Hi" }];
    const { id } = (await as("a")("POST", "/conversations", { items })).json();
    expect((await as("b")(method, `/conversations/${id}${below}`, body)).statusCode).toBe(404);
    expect((await as("a")("GET", `/conversations/${id}/items/msg_1`)).statusCode).toBe(200);
  });

  test("a conversation cannot be continued", async () => {
    const { as } = appWith({ keyLines });
    const { id } = (await as("a")("POST", "/conversations")).json();
    const body = { input: "Hi", conversation: id };
    expect((await as("b")("POST", "/responses", body)).statusCode).toBe(404);
    expect((await as("a")("POST", "/responses", body)).statusCode).toBe(200);
  });
});

test("a new key with the name of a replaced key can read its responses", async () => {
  const engine = new ScriptedEngine(() => ({ parts: ["ok"] }));
  const { app, keys } = buildTestApp(engine, { keyLines: ["old name=alice"] });
  onTestFinished(() => app.close());
  const made = await app.inject({
    method: "POST",
    url: "/v1/responses",
    headers: { "x-api-key": "old" },
    payload: { input: "Hi" },
  });
  keys.replace([parseKeyLine("new name=alice", "key")]);
  const url = `/v1/responses/${made.json().id}`;
  const find = (key: string) => app.inject({ url, headers: { "x-api-key": key } });
  expect((await find("new")).statusCode).toBe(200);
  expect((await find("old")).statusCode).toBe(401);
});

test("without API keys, all clients share the stored objects", async () => {
  const { as } = appWith({});
  const { id } = (await as("a")("POST", "/responses", { input: "Hi" })).json();
  expect((await as("b")("GET", `/responses/${id}`)).statusCode).toBe(200);
});

describe("a key at its quota of a sixteenth of the store", () => {
  const sixteen = Array.from({ length: 16 }, (_, index) => `key${index} name=name${index}`);
  // These keys cannot store objects and therefore have no quota.
  const others = ["todos name=todos scopes=todos", "r name=reader access=read-only"];

  // 629 requests.
  test("evicts only its own oldest conversations", {
    timeout: 20_000,
  }, async () => {
    const { as } = appWith({ keyLines: [...sixteen, ...others] });
    const [alice, bob] = [as("key0"), as("key1")];
    const created = async (ask: typeof bob): Promise<string> =>
      (await ask("POST", "/conversations", {})).json().id;
    const kept = await created(alice);
    const ids: string[] = [];
    for (let count = 0; count < 627; count++) ids.push(await created(bob));
    const statusOf = async (ask: typeof bob, id = "") =>
      (await ask("GET", `/conversations/${id}`)).statusCode;
    expect(await statusOf(alice, kept)).toBe(200);
    const oldest = await Promise.all([0, 1, 2].map((index) => statusOf(bob, ids[index])));
    expect(oldest).toEqual([404, 404, 200]);
  });

  test("cannot store an object larger than the quota, which is rejected before generation", async () => {
    const owners = { count: () => 2, has: () => true };
    const limits = { ...MEMORY_LIMITS, bytes: 4_000 };
    const conversations = new ConversationStore<StoredItem>({ limits, owners });
    const { as, engine } = appWith({ keyLines, conversations });
    const { id } = (await as("a")("POST", "/conversations", {})).json();
    const input = "x".repeat(2_000);
    const refused = await as("a")("POST", "/responses", { conversation: id, input });
    expect(refused.statusCode).toBe(507);
    expect(refused.json().error).toMatchObject({
      code: "storage_quota_exceeded",
      message: expect.stringContaining(
        "2000 bytes and 500000 items, the quota of the key 'alice' for all its conversations",
      ),
    });
    expect(engine.requests).toEqual([]);
  });

  test("cannot start a background response whose input is larger than the quota", async () => {
    const { as, engine } = appWith({ keyLines: [...sixteen, ...others] });
    // The maximum size of a body; an item is slightly larger than its text.
    const input = "x".repeat(4 * 2 ** 20 - 60);
    const ask = (body: object) => as("key0")("POST", "/responses", { input, ...body });
    for (const body of [{ background: true }, { store: true }]) {
      const { statusCode, body: text } = await ask(body);
      expect([statusCode, text.slice(0, 300)]).toEqual([507, expect.stringContaining("quota")]);
    }
    expect(engine.requests).toEqual([]);
  });
});
