import { describe, expect, it, onTestFinished } from "vitest";
import type { StoredItem } from "../../../src/api/responses/item-schema.js";
import { ConversationStore } from "../../../src/conversations/conversation-store.js";
import { MEMORY_LIMITS } from "../../../src/conversations/open-conversations.js";
import { GgufdError } from "../../../src/core/errors.js";
import { eventually } from "../../support/eventually.js";
import { HeldWrites } from "../../support/held-writes.js";
import { runApp } from "../../support/running-app.js";
import { deferred, type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import type { TestAppOptions } from "../../support/test-app.js";

/** Server whose answers pause before their second part until the test resumes them. */
async function gatedServer({ ending, ...options }: TestAppOptions & Pick<Script, "ending"> = {}) {
  const gate = deferred();
  const script = (): Script => ({
    parts: ["One", " two"],
    before: (index) => (index === 1 ? gate.promise : undefined),
    ...(ending !== undefined && { ending }),
  });
  const engine = new ScriptedEngine(script, { slots: 4, contextSize: 100_000 });
  const { url, close } = await runApp(engine, options);
  onTestFinished(close);
  const send = (method: string, path: string, payload?: object, signal?: AbortSignal) =>
    fetch(`${url}/v1${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(payload && { body: JSON.stringify(payload) }),
      ...(signal && { signal }),
    });
  const ask = async (method: string, path: string, payload?: object) => {
    const answer = await send(method, path, payload);
    const body = await answer.text();
    return { status: answer.status, json: body.startsWith("{") ? JSON.parse(body) : undefined };
  };
  const { json } = await ask("POST", "/conversations", {});
  const conversation: string = json.id;
  const textsOf = async () => {
    const { json: list } = await ask("GET", `/conversations/${conversation}/items?order=asc`);
    return list.data.map(({ content }: { content: { text: string }[] }) => content[0]?.text);
  };
  const add = (content: string) =>
    ask("POST", `/conversations/${conversation}/items`, { items: [{ role: "user", content }] });
  /** Starts a response and waits until the engine generates it. */
  const begin = async (fields: object, signal?: AbortSignal) => {
    const body = { conversation, input: "First", ...fields };
    const answer = send("POST", "/responses", body, signal);
    answer.catch(() => undefined);
    await eventually(() => expect(engine.started).toHaveLength(1));
    return answer;
  };
  return { ask, add, begin, conversation, textsOf, engine, goOn: gate.resolve };
}

const KINDS = [{}, { stream: true }, { background: true }, { background: true, stream: true }];

describe("a conversation with an open response", () => {
  it.each(KINDS)(
    "rejects another response and new items, and is named in the error: %j",
    async (fields) => {
      const { ask, add, begin, conversation, textsOf, goOn } = await gatedServer();
      const first = begin(fields).then((answer) => answer.text());
      await eventually(async () => expect((await add("Between")).status).toBe(409));
      const second = await ask("POST", "/responses", { conversation, input: "Second" });
      const added = await add("Between");
      for (const { status, json } of [second, added]) {
        expect(status).toBe(409);
        expect(json.error).toMatchObject({ code: "conversation_locked", param: "conversation" });
      }
      expect(await textsOf()).toEqual([]);
      goOn();
      const [, id] = /"id":"(resp_\w+)"/.exec(await first) ?? [];
      expect(second.json.error.message).toContain(`'${id}'`);
      expect(added.json.error.message).toContain(`'${id}'`);
      await eventually(async () => expect(await textsOf()).toEqual(["First", "One two"]));
      expect((await add("Third")).status).toBe(200);
      expect(await textsOf()).toEqual(["First", "One two", "Third"]);
    },
  );

  it.each(KINDS)("is unlocked when the response fails: %j", async (fields) => {
    const ending = new GgufdError("internal_error", "It broke.");
    const { add, begin, goOn } = await gatedServer({ ending });
    const first = begin(fields).then((answer) => answer.text());
    await eventually(async () => expect((await add("Between")).status).toBe(409));
    goOn();
    await first;
    await eventually(async () => expect((await add("Next")).status).toBe(200));
  });

  it.each([{}, { stream: true }])("is unlocked when the client disconnects: %j", async (fields) => {
    const { add, begin, textsOf } = await gatedServer({ ending: "never" });
    const client = new AbortController();
    const first = begin(fields, client.signal);
    await eventually(async () => expect((await add("Between")).status).toBe(409));
    client.abort();
    await first.catch(() => undefined);
    await eventually(async () => expect((await add("Next")).status).toBe(200));
    expect(await textsOf()).toEqual(["Next"]);
  });

  it.each([
    ["cancelled", "POST", "/cancel", ["First", "One", "Next"]],
    ["deleted", "DELETE", "", ["Next"]],
  ])("is unlocked when the response is %s", async (_how, method, path, texts) => {
    const { ask, add, begin, textsOf } = await gatedServer({ ending: "never" });
    const { id } = (await (await begin({ background: true })).json()) as { id: string };
    await eventually(async () =>
      expect((await ask("GET", `/responses/${id}`)).json.status).toBe("in_progress"),
    );
    expect((await add("Between")).status).toBe(409);
    expect((await ask(method, `/responses/${id}${path}`)).status).toBe(200);
    expect((await add("Next")).status).toBe(200);
    expect(await textsOf()).toEqual(texts);
  });

  it.each(KINDS)("is unlocked when the request is rejected: %j", async (fields) => {
    const { ask, add, conversation } = await gatedServer();
    for (const wrong of [{ model: "none" }, { input: [{ type: "item_reference", id: "no" }] }]) {
      const body = { conversation, input: "First", ...fields, ...wrong };
      expect((await ask("POST", "/responses", body)).status).toBe(404);
    }
    expect((await add("Next")).status).toBe(200);
  });

  it("allows metadata changes, reading items and counting tokens", async () => {
    const { ask, begin, conversation } = await gatedServer({ ending: "never" });
    await begin({ background: true });
    for (const [method, path, body] of [
      ["POST", `/conversations/${conversation}`, { metadata: { title: "A" } }],
      ["GET", `/conversations/${conversation}/items`, undefined],
      ["POST", "/responses/input_tokens", { conversation, input: "Hi" }],
    ] as const) {
      expect((await ask(method, path, body)).status, path).toBe(200);
    }
  });
});

it("a response includes items that are not yet durable", async () => {
  const writes = new HeldWrites<null>(() => null);
  const conversations = new ConversationStore<StoredItem>({
    limits: MEMORY_LIMITS,
    storage: {
      write: () => writes.persist(null),
      forget: () => undefined,
      compact: async () => undefined,
      close: async () => undefined,
    },
  });
  const made = gatedServer({ conversations });
  await eventually(() => expect(writes.inFlight).toBe(true));
  await writes.pass();
  const { ask, add, begin, conversation, textsOf, engine, goOn } = await made;
  const added = add("Before");
  await eventually(() => expect(writes.inFlight).toBe(true));
  const first = begin({});
  // Always rejected, because of its model or the lock.
  const probe = { conversation, input: "Between", model: "none" };
  await eventually(async () => expect((await ask("POST", "/responses", probe)).status).toBe(409));
  expect(engine.started).toEqual([]);
  await writes.pass();
  expect((await added).status).toBe(200);
  await eventually(() => expect(engine.started).toHaveLength(1));
  expect(engine.requests.at(-1)?.prompt.messages).toMatchObject([
    { content: "Before" },
    { content: "First" },
  ]);
  goOn();
  await eventually(() => expect(writes.inFlight).toBe(true));
  await writes.pass();
  expect((await first).status).toBe(200);
  expect(await textsOf()).toEqual(["Before", "First", "One two"]);
});
