import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { StoredItem } from "../../../src/api/responses/item-schema.js";
import { ConversationStore } from "../../../src/conversations/conversation-store.js";
import { MEMORY_LIMITS } from "../../../src/conversations/open-conversations.js";
import { GgufdError } from "../../../src/core/errors.js";
import type { ChatGenerationRequest } from "../../../src/core/generation-request.js";
import { deferred, type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";

interface AppOptions extends TestAppOptions {
  readonly script?: (request: ChatGenerationRequest) => Script;
}

/** Application, with a function that sends requests with a key. */
function appWith({ script = () => ({ parts: ["One", " two"] }), ...options }: AppOptions = {}) {
  const engine = new ScriptedEngine(script, { slots: 4, contextSize: 100_000 });
  const { app } = buildTestApp(engine, options);
  onTestFinished(() => app.close());
  const as =
    (key: string) => async (method: "GET" | "POST" | "DELETE", path: string, payload?: object) => {
      const headers = { "x-api-key": key };
      const url = `/v1${path}`;
      // Yields to the event loop, unlike injected requests.
      await nextTurn();
      const answer = await app.inject({ method, url, headers, ...(payload && { payload }) });
      const { statusCode: status, body } = answer;
      return { status, body, json: body.startsWith("{") ? answer.json() : undefined };
    };
  return { app, engine, as, ask: as("") };
}

type Ask = ReturnType<typeof appWith>["ask"];

async function newConversation(ask: Ask, fields: object = {}): Promise<string> {
  return (await ask("POST", "/conversations", fields)).json.id;
}

const said = (content: string) => ({ items: [{ role: "user", content }] });

async function itemsOf(ask: Ask, id: string) {
  return (await ask("GET", `/conversations/${id}/items?order=asc&limit=100`)).json.data;
}

async function listed(ask: Ask, query = ""): Promise<readonly string[]> {
  const { json } = await ask("GET", `/conversations${query}`);
  return json.data.map(({ id }: { id: string }) => id);
}

describe("the responses of new items", () => {
  it("are kept: an exported conversation shows its models and speeds after an import", async () => {
    const { ask } = appWith();
    const id = await newConversation(ask);
    await ask("POST", "/responses", { conversation: id, input: "Hi" });
    const exported = await itemsOf(ask, id);
    expect(exported.at(-1).response).toMatchObject({ model: expect.any(String), error: null });
    const items = exported.map(({ id: _, ...item }: { id: string }) => item);
    const copy = await newConversation(ask, { items });
    expect((await itemsOf(ask, copy)).at(-1).response).toEqual(exported.at(-1).response);
    const added = await ask("POST", `/conversations/${copy}/items`, { items: items.slice(-1) });
    expect(added.json.data[0].response).toEqual(exported.at(-1).response);
  });

  it("are dropped from questions, and refused if they are invalid", async () => {
    const { ask } = appWith();
    const response = { id: "resp_1", model: "m", status: "completed", created_at: 1, error: null };
    const question = { role: "user", content: "Hi", response };
    const answered = (fields: object) => ({
      items: [{ role: "assistant", content: "Hi", response: { ...response, ...fields } }],
    });
    const id = await newConversation(ask, { items: [question] });
    expect((await itemsOf(ask, id))[0]).not.toHaveProperty("response");
    const refused = await ask("POST", "/conversations", answered({ status: "done" }));
    expect(refused.status).toBe(400);
    expect(refused.json.error.param).toBe("items.0.response.status");
    expect((await ask("POST", "/conversations", answered({}))).status).toBe(200);
  });
});

describe("the list of conversations", () => {
  it("is sorted by the time of the last change", async () => {
    const { ask } = appWith();
    expect((await ask("GET", "/conversations")).json).toEqual({
      ...{ object: "list", data: [], first_id: "", last_id: "", has_more: false },
    });
    const a = await newConversation(ask);
    const b = await newConversation(ask);
    const c = await newConversation(ask);
    expect(await listed(ask)).toEqual([c, b, a]);
    expect(await listed(ask, "?order=asc")).toEqual([a, b, c]);
    await ask("POST", `/conversations/${a}`, { metadata: { title: "A" } });
    expect(await listed(ask)).toEqual([a, c, b]);
    await ask("POST", `/conversations/${b}/items`, said("Hi"));
    expect(await listed(ask)).toEqual([b, a, c]);
    await ask("POST", "/responses", { conversation: c, input: "Hi" });
    expect(await listed(ask)).toEqual([c, b, a]);
    await ask("GET", `/conversations/${a}`);
    expect(await listed(ask)).toEqual([c, b, a]);
    await ask("DELETE", `/conversations/${b}`);
    expect(await listed(ask)).toEqual([c, a]);
  });

  it.each(["asc", "desc"])("is paginated in the order %s", async (order) => {
    const { ask } = appWith();
    const ids: string[] = [];
    for (let number = 0; number < 5; number++) ids.push(await newConversation(ask));
    const pages: string[][] = [];
    for (let after = ""; ; after = `&after=${pages.at(-1)?.at(-1)}`) {
      const { json } = await ask("GET", `/conversations?limit=2&order=${order}${after}`);
      const page = json.data.map(({ id }: { id: string }) => id);
      expect([json.first_id, json.last_id]).toEqual([page[0], page.at(-1)]);
      pages.push(page);
      if (!json.has_more) break;
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(order === "asc" ? ids : ids.toReversed());
  });

  it("contains the same objects as the individual conversations", async () => {
    const { ask } = appWith();
    const id = await newConversation(ask, { metadata: { title: "A" }, ...said("Hi") });
    const { json } = await ask("GET", "/conversations");
    expect(json.data).toEqual([(await ask("GET", `/conversations/${id}`)).json]);
    const { created_at, updated_at } = json.data[0];
    expect(updated_at).toBeGreaterThanOrEqual(created_at);
    expect(json.data[0]).toEqual({
      ...{ id, object: "conversation", created_at, updated_at },
      ...{ metadata: { title: "A" }, active_response_id: null },
    });
  });

  it("contains only conversations of the requesting key", async () => {
    const { as } = appWith({ keyLines: ["a name=alice", "b name=bob"] });
    const id = await newConversation(as("a"));
    expect(await listed(as("a"))).toEqual([id]);
    expect(await listed(as("b"))).toEqual([]);
    const after = await as("b")("GET", `/conversations?after=${id}`);
    expect(after).toMatchObject({ status: 400, json: { error: { param: "after" } } });
  });

  it.each(["limit=0", "limit=101", "order=up", "after=conv_none", "after="])(
    "is rejected with %s",
    async (query) => {
      const { ask } = appWith();
      expect((await ask("GET", `/conversations?${query}`)).status).toBe(400);
    },
  );
});

describe("a conversation with a running background response", () => {
  const gated = () => {
    const gate = deferred();
    const before = (index: number) => (index === 1 ? gate.promise : undefined);
    return { ...appWith({ script: () => ({ parts: ["One", " two"], before }) }), gate };
  };

  it("names the response until it ends, and then contains its items", async () => {
    const { ask, gate } = gated();
    const id = await newConversation(ask, said("Hi"));
    const { json: queued } = await ask("POST", "/responses", {
      conversation: id,
      background: true,
    });
    const active = async () => (await ask("GET", `/conversations/${id}`)).json.active_response_id;
    expect(await active()).toBe(queued.id);
    expect((await ask("GET", "/conversations")).json.data[0].active_response_id).toBe(queued.id);
    gate.resolve();
    while ((await active()) !== null) {
      expect(await itemsOf(ask, id)).toHaveLength(1);
    }
    expect(await itemsOf(ask, id)).toHaveLength(2);
  });

  it("can be continued as soon as a client has read the stream's last event", async () => {
    const { ask, gate } = gated();
    const id = await newConversation(ask, said("Hi"));
    const body = { conversation: id, background: true, stream: true };
    const streamed = ask("POST", "/responses", body);
    const active = async () => (await ask("GET", `/conversations/${id}`)).json.active_response_id;
    while ((await active()) === null) {}
    const lost = ask("GET", `/responses/${await active()}?stream=true&starting_after=2`);
    gate.resolve();
    const { body: whole } = await streamed;
    const { body: rest } = await lost;
    expect(whole.endsWith(rest)).toBe(true);
    expect(rest).toMatch(/"sequence_number":3\b/);
    expect(rest).toContain("response.completed");
    expect(await itemsOf(ask, id)).toHaveLength(2);
    expect((await ask("POST", "/responses", { ...body, input: "On" })).status).toBe(200);
    expect(await itemsOf(ask, id)).toHaveLength(4);
  });

  it.each([{}, { stream: true }, { background: true }, { background: true, stream: true }])(
    "rejects another response: %j",
    async (fields) => {
      const { ask, gate } = gated();
      const id = await newConversation(ask, said("Hi"));
      const first = await ask("POST", "/responses", { conversation: id, background: true });
      const refused = await ask("POST", "/responses", { conversation: { id }, ...fields });
      expect(refused).toMatchObject({
        status: 409,
        json: { error: { code: "conversation_locked", param: "conversation" } },
      });
      await ask("POST", `/responses/${first.json.id}/cancel`);
      gate.resolve();
      expect((await ask("POST", "/responses", { conversation: id, ...fields })).status).toBe(200);
    },
  );

  it("rejects a concurrent response, and is unlocked if the first one is rejected", async () => {
    const { ask } = gated();
    const id = await newConversation(ask, said("Hi"));
    const body = { conversation: id, background: true };
    expect((await ask("POST", "/responses", { ...body, model: "none" })).status).toBe(404);
    const both = await Promise.all([
      ask("POST", "/responses", body),
      ask("POST", "/responses", body),
    ]);
    expect(both.map(({ status }) => status)).toEqual([200, 409]);
  });

  it("can be deleted while the response continues and is stored without the conversation", async () => {
    const { ask, gate } = gated();
    const id = await newConversation(ask, said("Hi"));
    const { json: queued } = await ask("POST", "/responses", {
      conversation: id,
      background: true,
    });
    await ask("DELETE", `/conversations/${id}`);
    gate.resolve();
    const found = async () => (await ask("GET", `/responses/${queued.id}`)).json;
    while ((await found()).status !== "completed") {}
    expect((await ask("GET", `/conversations/${id}`)).status).toBe(404);
  });
});

describe("the last item of a response in a conversation", () => {
  it("stores the response's metadata, including its timings", async () => {
    const { ask } = appWith();
    const id = await newConversation(ask, said("Hi"));
    const { json: response } = await ask("POST", "/responses", { conversation: id });
    const { status, model, created_at, usage, timings } = response;
    expect(timings).toMatchObject({ prompt_n: 1, cache_n: 1, predicted_n: 2, predicted_ms: 3 });
    const [, answer] = await itemsOf(ask, id);
    const metadata = { id: response.id, status, model, created_at, usage, timings, error: null };
    expect(answer).toEqual({ ...response.output[0], response: metadata });
    expect(response.output[0]).not.toHaveProperty("response");
    const found = await ask("GET", `/conversations/${id}/items/${answer.id}`);
    expect(found.json.response).toEqual(metadata);
  });

  it("keeps the metadata in conversations that reference it, unlike other items", async () => {
    const script = (): Script => ({ parts: [{ reasoning: "Hm." }, "One"] });
    const { ask, engine } = appWith({ script });
    const id = await newConversation(ask, said("Hi"));
    await ask("POST", "/responses", { conversation: id });
    const items = await itemsOf(ask, id);
    expect(items.map((item: object) => "response" in item)).toEqual([false, false, true]);
    const references = items.map((item: { id: string }) => ({
      type: "item_reference",
      id: item.id,
    }));
    const branch = await newConversation(ask, { items: references });
    expect(await itemsOf(ask, branch)).toEqual(items);
    await ask("DELETE", `/conversations/${id}`);
    expect(await itemsOf(ask, branch)).toEqual(items);
    await ask("POST", "/responses", { conversation: branch, input: "On" });
    expect(engine.requests.at(-1)?.prompt.messages).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "One", reasoning: "Hm." },
      { role: "user", content: "On" },
    ]);
  });

  it("is incomplete if the response was cancelled", async () => {
    const { ask } = appWith({ script: () => ({ parts: ["One", " two"], ending: "never" }) });
    const id = await newConversation(ask, said("Hi"));
    const { json } = await ask("POST", "/responses", { conversation: id, background: true });
    const found = async () => (await ask("GET", `/responses/${json.id}`)).json;
    while ((await found()).status !== "in_progress") {}
    const { json: cancelled } = await ask("POST", `/responses/${json.id}/cancel`);
    const [, partial] = await itemsOf(ask, id);
    expect(partial).toMatchObject({
      ...{ type: "message", status: "incomplete", content: [{ text: "One two" }] },
      response: { id: json.id, status: "cancelled", error: null },
    });
    expect(partial.response.usage).toMatchObject({ input_tokens: 2, output_tokens: 2 });
    expect(partial.response.usage).toEqual(cancelled.usage);
    expect(partial.response).not.toHaveProperty("timings");
  });

  it.each([{ background: true }, { background: false }])(
    "has the error if the response failed: %j",
    async ({ background }) => {
      const ending = new GgufdError("internal_error", "It broke.");
      const { ask } = appWith({ script: () => ({ parts: ["One"], ending }) });
      const id = await newConversation(ask, said("Hi"));
      await ask("POST", "/responses", { conversation: id, background, stream: true });
      expect((await itemsOf(ask, id))[1]).toMatchObject({
        status: "incomplete",
        response: { status: "failed", error: "It broke.", usage: { output_tokens: 1 } },
      });
    },
  );

  it("is stored when the server stops", async () => {
    const conversations = new ConversationStore<StoredItem>({ limits: MEMORY_LIMITS });
    const script = (): Script => ({ parts: ["One"], ending: "never" });
    const { app, ask } = appWith({ script, conversations });
    const id = await newConversation(ask, said("Hi"));
    const { json } = await ask("POST", "/responses", { conversation: id, background: true });
    const found = async () => (await ask("GET", `/responses/${json.id}`)).json;
    while ((await found()).status !== "in_progress") {}
    await app.close();
    expect(conversations.find("", id)?.items[1]).toMatchObject({
      ...{ status: "incomplete", content: [{ text: "One" }] },
      response: { status: "cancelled" },
    });
  });
});

describe("limits of a conversation", () => {
  it("allow longer instructions in metadata than those of responses", async () => {
    const { ask } = appWith();
    const text = (length: number) => ({ metadata: { instructions: "x".repeat(length) } });
    const id = await newConversation(ask, text(16_384));
    expect((await ask("POST", `/conversations/${id}`, text(16_384))).status).toBe(200);
    for (const [path, length] of [
      ["/conversations", 16_385],
      [`/conversations/${id}`, 16_385],
      ["/responses", 513],
    ] as const) {
      const refused = await ask("POST", path, { input: "Hi", ...text(length) });
      expect(refused.status).toBe(400);
      expect(refused.json.error.message).toContain(`at most ${length - 1} characters`);
    }
  });

  it("allow a branch with the maximum number of items", async () => {
    const { ask } = appWith();
    const items = Array.from({ length: 5_000 }, (_, index) => ({
      ...{ role: "user", id: `msg_${index}`, content: "" },
    }));
    await newConversation(ask, { items });
    const references = items.map(({ id }) => ({ type: "item_reference", id }));
    const branch = await newConversation(ask, { items: references });
    const { json } = await ask("GET", `/conversations/${branch}/items?limit=1`);
    expect(json.data[0].id).toBe("msg_4999");
    const another = { items: [...references, ...references.slice(0, 1)] };
    expect((await ask("POST", "/conversations", another)).status).toBe(400);
  });
});
