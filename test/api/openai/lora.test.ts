import { describe, expect, it, onTestFinished } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { someAdapter } from "../../support/some-adapter.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";

const invocation = { tokens: [7, 8], text: "<sql>" };

const sql = someAdapter("sql", { scale: 0.5, use: "always", invocation });
const poet = someAdapter("poet");

function serve(options: TestAppOptions = {}, adapters = [sql, poet]) {
  const engine = new ScriptedEngine(() => ({ parts: ["ok"] }), {
    adapters,
    rawScript: () => ({ parts: ["ok"] }),
  });
  const { app } = buildTestApp(engine, options);
  onTestFinished(() => app.close());
  const send = async (url: string, payload?: object, key = "") => {
    const response = await app.inject({
      method: payload === undefined ? "GET" : "POST",
      url,
      headers: { "x-api-key": key },
      ...(payload && { payload }),
    });
    return { status: response.statusCode, body: response.json() };
  };
  const used = () => [...engine.requests, ...engine.rawRequests].at(-1)?.adapters;
  return { send, used };
}

const messages = [{ role: "user", content: "Hi" }];

/** A request for every generating route of every dialect. */
const generating: readonly (readonly [string, object])[] = [
  ["/v1/chat/completions", { messages }],
  ["/v1/completions", { prompt: "Hi" }],
  ["/v1/responses", { input: "Hi" }],
  ["/v1/messages", { messages, max_tokens: 5 }],
  ["/api/chat", { messages, stream: false }],
  ["/api/generate", { prompt: "Hi", stream: false }],
  ["/completion", { prompt: "Hi" }],
  ["/completions", { prompt: "Hi" }],
  ["/infill", { input_prefix: "a", input_suffix: "b" }],
];

describe.each(generating)("%s", (url, body) => {
  it("selects a LoRA adapter by name in the model field", async () => {
    const { send, used } = serve();
    const { status, body: answer } = await send(url, { ...body, model: "poet" });
    expect(status).toBe(200);
    expect(answer.model).toBe("poet");
    expect(used()).toEqual([{ name: "poet", scale: 1 }]);
    await send(url, { ...body, model: "sql" });
    expect(used()).toEqual([{ name: "sql", scale: 0.5 }]);
  });

  it("leaves the choice of adapters to the engine if the request names the model itself", async () => {
    const { send, used } = serve();
    const { body: answer } = await send(url, { ...body, model: "scripted" });
    expect(answer.model).toBe("scripted");
    expect(used()).toBeUndefined();
  });

  it("returns 404 for an unknown adapter", async () => {
    const { send } = serve();
    expect((await send(url, { ...body, model: "prose" })).status).toBe(404);
  });
});

describe.each(["/api/chat", "/api/generate"])("%s", (url) => {
  const body = { messages, prompt: "Hi", stream: false };

  it("selects an adapter by its Ollama name, with keep_alive applied to its model", async () => {
    const { send, used } = serve();
    const { status } = await send(url, { ...body, model: "poet:latest", keep_alive: "5m" });
    expect(status).toBe(200);
    expect(used()).toEqual([{ name: "poet", scale: 1 }]);
  });
});

const choosing = generating.filter(([url]) => !/^\/(api|v1\/(messages|responses))/.test(url));

describe.each(choosing)("lora of %s", (url, body) => {
  it.each([
    [[{ id: 1, scale: 0.25 }], [{ name: "poet", scale: 0.25 }]],
    [
      [
        { id: 1, scale: -1 },
        { id: 0, scale: 2 },
        { id: 1, scale: 3 },
      ],
      [
        { name: "poet", scale: 3 },
        { name: "sql", scale: 2 },
      ],
    ],
    [[{ id: 0, scale: 0 }], [{ name: "sql", scale: 0 }]],
    [[], undefined],
    [null, undefined],
  ])("selects adapters by id: %j", async (lora, expected) => {
    const { send, used } = serve();
    expect((await send(url, { ...body, lora })).status).toBe(200);
    expect(used()).toEqual(expected);
  });

  it("takes precedence over an adapter's name in the model field", async () => {
    const { send, used } = serve();
    await send(url, { ...body, model: "poet", lora: [{ id: 0, scale: 1 }] });
    expect(used()).toEqual([{ name: "sql", scale: 1 }]);
  });

  it.each<[unknown, string, string]>([
    [[{ id: 2, scale: 1 }], "lora.0.id", "expected an adapter id from 0 to 1"],
    [[{ id: -1, scale: 1 }], "lora.0.id", "expected an integer from 0 to 31, got -1"],
    [[{ id: 0 }], "lora.0.scale", "expected a number"],
    [[{ id: 0, scale: "1" }], "lora.0.scale", 'expected a number of any size, got "1"'],
    [[7], "lora.0", "expected an object with id and scale, got 7"],
    ["sql", "lora", 'expected an array of objects with id and scale, got "sql"'],
    [Array(33).fill({ id: 0, scale: 1 }), "lora", "expected at most 32 adapters, got [{"],
  ])("is rejected: %.60j", async (lora, param, reason) => {
    const { send } = serve();
    const { status, body: answer } = await send(url, { ...body, lora });
    expect(status).toBe(400);
    expect(answer.error).toMatchObject({ code: "invalid_request", param });
    expect(answer.error.message).toContain(reason);
  });

  it("is rejected if the model has no adapters", async () => {
    const { send } = serve({}, []);
    const { body: answer } = await send(url, { ...body, lora: [{ id: 0, scale: 1 }] });
    expect(answer.error.message).toBe(
      "lora.0.id: expected no adapter, because the model has none, got 0.",
    );
  });
});

it("a token count request selects adapters as well", async () => {
  const { send, used } = serve();
  await send("/v1/chat/completions/input_tokens", { messages, lora: [{ id: 1, scale: 1 }] });
  expect(used()).toEqual([{ name: "poet", scale: 1 }]);
});

describe("/lora-adapters", () => {
  const listed = [
    {
      ...{ id: 0, path: "sql.gguf", scale: 0.5, task_name: "sql", prompt_prefix: "" },
      ...{ alora_invocation_string: "<sql>", alora_invocation_tokens: [7, 8] },
    },
    { id: 1, path: "poet.gguf", scale: 0, task_name: "poet", prompt_prefix: "" },
  ];

  it("lists the adapters of a model, without directory names", async () => {
    const { send } = serve();
    expect((await send("/lora-adapters")).body).toEqual(listed);
    expect((await send("/lora-adapters?model=poet")).body).toEqual(listed);
    expect((await send("/lora-adapters?model=other")).status).toBe(404);
    expect((await serve({}, []).send("/lora-adapters")).body).toEqual([]);
  });

  it("sets the default adapters for requests that select none", async () => {
    const { send, used } = serve();
    const ask = () => send("/v1/chat/completions", { messages });
    const set = (choices: object) => send("/lora-adapters", choices);
    expect((await set([{ id: 1, scale: 2 }])).body).toEqual({ success: true });
    expect((await send("/lora-adapters")).body).toMatchObject([{ scale: 0 }, { scale: 2 }]);
    await ask();
    expect(used()).toEqual([{ name: "poet", scale: 2 }]);
    await send("/v1/chat/completions", { messages, model: "sql" });
    expect(used()).toEqual([{ name: "sql", scale: 0.5 }]);
    await set([]);
    await ask();
    expect(used()).toEqual([]);
  });

  it.each<[object, string]>([
    [[{ id: 2, scale: 1 }], "0.id"],
    [[{ id: 0, scale: null }], "0.scale"],
    [{ id: 0, scale: 1 }, "body"],
    [Array(33).fill({ id: 0, scale: 1 }), "body"],
  ])("rejects %j", async (choices, field) => {
    const { send } = serve();
    const { status, body } = await send("/lora-adapters", choices);
    expect(status).toBe(400);
    expect(body.error.message).toMatch(new RegExp(`^${field}: expected `));
    expect((await send("/lora-adapters")).body).toEqual(listed);
  });

  it("can be read with the scope inference, and changed with admin", async () => {
    const { send } = serve({
      keyLines: ["user name=user scopes=inference", "operator name=operator scopes=admin"],
    });
    expect((await send("/lora-adapters", undefined, "user")).status).toBe(200);
    expect((await send("/lora-adapters", [], "user")).status).toBe(403);
    expect((await send("/lora-adapters", [], "operator")).status).toBe(200);
    expect((await send("/lora-adapters", undefined, "operator")).status).toBe(403);
  });
});

describe("/v1/models", () => {
  it("lists adapters with their base model", async () => {
    const { send } = serve();
    const { body } = await send("/v1/models");
    expect(body.data).toMatchObject([
      { id: "poet", parent: "scripted", root: "scripted", max_model_len: 100 },
      { id: "scripted", root: "scripted" },
      { id: "sql", parent: "scripted", root: "scripted" },
    ]);
    expect(body.data[1]).not.toHaveProperty("parent");
    const pages = [await send("/v1/models?limit=2")];
    const cursor = pages[0]?.body.pagination.next_cursor;
    pages.push(await send(`/v1/models?limit=2&cursor=${cursor}`));
    const ids = pages.flatMap((page) => page.body.data.map(({ id }: { id: string }) => id));
    expect(ids).toEqual(["poet", "scripted", "sql"]);
    expect((await send("/v1/models/sql")).body).toEqual(body.data[2]);
    expect((await send("/v1/models/prose")).status).toBe(404);
  });
});
