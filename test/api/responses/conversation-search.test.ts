import { describe, expect, it, onTestFinished } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";

/** Application, with a function that sends requests with a key. */
function appWith(options: TestAppOptions = {}) {
  const engine = new ScriptedEngine(() => ({ parts: ["Crème brûlée, of course."] }));
  const { app } = buildTestApp(engine, options);
  onTestFinished(() => app.close());
  const as = (key: string) => async (method: "GET" | "POST", path: string, payload?: object) => {
    const headers = { "x-api-key": key };
    const answer = await app.inject({
      method,
      url: `/v1${path}`,
      headers,
      ...(payload && { payload }),
    });
    return { status: answer.statusCode, json: answer.json() };
  };
  return { as, ask: as("") };
}

const said = (content: unknown, role = "user") => ({ items: [{ role, content }] });

describe("GET /v1/conversations?query=", () => {
  it("returns conversations whose title and messages have all words, with the match", async () => {
    const { ask } = appWith();
    const { json: created } = await ask("POST", "/conversations", {
      metadata: { title: "Desserts" },
      ...said("Which one do you like?"),
    });
    await ask("POST", "/responses", { conversation: created.id, input: "Tell me" });
    await ask("POST", "/conversations", said("Something else"));
    const { json } = await ask("GET", "/conversations?query=BRULEE%20dessert");
    const items = await ask("GET", `/conversations/${created.id}/items?order=desc`);
    const conversation = (await ask("GET", `/conversations/${created.id}`)).json;
    expect(json).toEqual({
      object: "list",
      data: [
        {
          ...conversation,
          match: {
            item_id: items.json.data[0].id,
            excerpt: [
              { text: "Crème ", is_match: false },
              { text: "brûlée", is_match: true },
              { text: ", of course.", is_match: false },
            ],
          },
        },
      ],
      first_id: created.id,
      last_id: created.id,
      has_more: false,
    });
  });

  it("searches the messages of all roles, and neither files nor results of tools", async () => {
    const { ask } = appWith();
    const file_data = `data:text/plain;base64,${Buffer.from("needle").toString("base64")}`;
    const parts = [
      { type: "input_file", filename: "needle.txt", file_data },
      { type: "input_text", text: "A file" },
    ];
    await ask("POST", "/conversations", said(parts));
    await ask("POST", "/conversations", {
      items: [
        { type: "function_call", call_id: "c", name: "needle", arguments: "{}" },
        { type: "function_call_output", call_id: "c", output: "needle" },
      ],
    });
    expect((await ask("GET", "/conversations?query=needle")).json.data).toEqual([]);
    for (const role of ["user", "assistant", "system"]) {
      await ask("POST", "/conversations", said(`A needle of ${role}`, role));
    }
    expect((await ask("GET", "/conversations?query=needle")).json.data).toHaveLength(3);
  });

  it("is paginated, newest first", async () => {
    const { ask } = appWith();
    const ids: string[] = [];
    for (let number = 0; number < 5; number++) {
      ids.unshift((await ask("POST", "/conversations", said(`needle ${number}`))).json.id);
      await ask("POST", "/conversations", said("hay"));
    }
    const found: string[] = [];
    for (let after = "", hasMore = true; hasMore; ) {
      const { json } = await ask("GET", `/conversations?query=needle&limit=2${after}`);
      found.push(...json.data.map(({ id }: { id: string }) => id));
      after = `&after=${json.last_id}`;
      hasMore = json.has_more;
    }
    expect(found).toEqual(ids);
  });

  it("finds only conversations of the requesting key", async () => {
    const { as } = appWith({ keyLines: ["a name=alice", "b name=bob"] });
    await as("a")("POST", "/conversations", said("needle"));
    expect((await as("a")("GET", "/conversations?query=needle")).json.data).toHaveLength(1);
    expect((await as("b")("GET", "/conversations?query=needle")).json.data).toEqual([]);
  });

  it.each([
    ["query=", "query", "expected 1 to 16 words"],
    ["query=%20", "query", "expected 1 to 16 words"],
    [`query=${"a".repeat(201)}`, "query", "of at most 200 characters together"],
    [`query=${[..."abcdefghijklmnopq"].join("+")}`, "query", "expected 1 to 16 words"],
    ["query=a&query=b", "query", "expected one value"],
    ["query=a&after=conv_none", "after", "expected the id of a conversation"],
    ["metadata=pinned", "metadata", "expected KEY:VALUE"],
  ])("rejects %s", async (query, param, message) => {
    const { ask } = appWith();
    const { status, json } = await ask("GET", `/conversations?${query}`);
    expect([status, json.error.param]).toEqual([400, param]);
    expect(json.error.message).toContain(message);
  });
});

it("GET /v1/conversations?metadata= returns conversations with the pair", async () => {
  const { ask } = appWith();
  const { json: pinned } = await ask("POST", "/conversations", { metadata: { pinned: "a:b" } });
  await ask("POST", "/conversations", { metadata: { pinned: "a" } });
  await ask("POST", "/conversations", {});
  const { json } = await ask("GET", "/conversations?metadata=pinned:a:b");
  expect(json.data).toEqual([pinned]);
});

describe("the times of a conversation", () => {
  it("can be given when it is created", async () => {
    const { ask } = appWith();
    const { json: now } = await ask("POST", "/conversations", {});
    const times = { created_at: 1_500_000_000, updated_at: 1_600_000_000 };
    const { json: old } = await ask("POST", "/conversations", times);
    expect(old).toMatchObject(times);
    const { json: same } = await ask("POST", "/conversations", { updated_at: 1_600_000_000 });
    expect(same).toMatchObject({ created_at: 1_600_000_000, updated_at: 1_600_000_000 });
    const { json: future } = await ask("POST", "/conversations", { updated_at: 250_000_000_000 });
    expect(future.updated_at).toBeLessThan(now.updated_at + 60);
    const { json } = await ask("GET", "/conversations");
    expect(json.data.map(({ id }: { id: string }) => id)).toEqual(
      [future, now, same, old].map(({ id }) => id),
    );
  });

  it("stay the same if a change of the metadata names the present one", async () => {
    const { ask } = appWith();
    const { json: first } = await ask("POST", "/conversations", { updated_at: 1_600_000_000 });
    const { json: second } = await ask("POST", "/conversations", { updated_at: 1_600_000_000 });
    const renamed = await ask("POST", `/conversations/${first.id}`, {
      metadata: { title: "A" },
      updated_at: 1_600_000_000,
    });
    expect(renamed.json).toEqual({ ...first, metadata: { title: "A" } });
    const order = async () =>
      (await ask("GET", "/conversations")).json.data.map(({ id }: { id: string }) => id);
    expect(await order()).toEqual([second.id, first.id]);
    await ask("POST", `/conversations/${first.id}`, { metadata: { title: "B" } });
    expect(await order()).toEqual([first.id, second.id]);
  });

  it.each([-1, 1.5, "now"])("cannot be %j", async (updated_at) => {
    const { ask } = appWith();
    const { status, json } = await ask("POST", "/conversations", { updated_at });
    expect([status, json.error.param]).toEqual([400, "updated_at"]);
  });
});
