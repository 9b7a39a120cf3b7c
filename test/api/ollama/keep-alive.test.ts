import { describe, expect, it, onTestFinished } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { storedModel } from "../../support/scripted-library.js";
import { embeddingModel, ScriptedPooling, vectorOfText } from "../../support/scripted-pooling.js";
import { buildTestApp } from "../../support/test-app.js";

const keyLines = ["operator name=operator", "user name=user scopes=inference"];

function serve(keys: readonly string[] = []) {
  const { app, library } = buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] })), {
    keyLines: keys,
    otherModels: [embeddingModel(new ScriptedPooling({ vectorOf: vectorOfText }))],
  });
  onTestFinished(() => app.close());
  const post = async (path: string, payload: object, key = "") => {
    const headers = { "x-api-key": key };
    const response = await app.inject({ method: "POST", url: `/api/${path}`, payload, headers });
    return { status: response.statusCode, body: response.json() };
  };
  return { library, post };
}

const asking = [
  ["chat", { messages: [{ role: "user", content: "Hi" }], stream: false }, "scripted"],
  ["generate", { prompt: "Hi", stream: false }, "scripted"],
  ["embed", { input: "Hi" }, "embedder"],
  ["embeddings", { prompt: "Hi" }, "embedder"],
] as const;

describe.each(asking)("keep_alive of /api/%s", (path, body, name) => {
  it.each([
    ["5m", 300_000],
    [30, 30_000],
    [0, 0],
    [-1, "forever"],
    ["-1s", "forever"],
  ])("sets how long the model stays loaded: %j", async (keepAlive, time) => {
    const { library, post } = serve();
    const { status } = await post(path, { ...body, keep_alive: keepAlive });
    expect(status).toBe(200);
    expect(library.calls).toEqual([{ call: "keep-alive", name, time }]);
  });

  it.each([{}, { keep_alive: null }])(
    "leaves the idle timeout unchanged if absent: %j",
    async (fields) => {
      const { library, post } = serve();
      await post(path, { ...body, ...fields });
      expect(library.calls).toEqual([]);
    },
  );

  it("is ignored unless the key has the scope admin", async () => {
    const { library, post } = serve(keyLines);
    expect((await post(path, { ...body, keep_alive: 0 }, "user")).status).toBe(200);
    expect(library.calls).toEqual([]);
    expect((await post(path, { ...body, keep_alive: 0 }, "operator")).status).toBe(200);
    expect(library.calls).toEqual([{ call: "keep-alive", name, time: 0 }]);
  });
});

describe.each(["chat", "generate"])("an empty request to /api/%s", (path) => {
  it("loads the model and sets how long it stays loaded", async () => {
    const { library, post } = serve();
    const { body } = await post(path, { model: "scripted:latest", keep_alive: "1h" });
    expect(body).toMatchObject({ model: "scripted", done: true, done_reason: "load" });
    expect(library.calls).toEqual([{ call: "keep-alive", name: "scripted", time: 3_600_000 }]);
  });

  it("unloads the model if keep_alive is 0", async () => {
    const { library, post } = serve();
    const { body } = await post(path, { model: "scripted", keep_alive: 0 });
    expect(body).toMatchObject({ model: "scripted", done: true, done_reason: "unload" });
    expect(library.calls).toEqual([{ call: "unload", name: "scripted" }]);
  });

  it("unloads a model of any kind without loading it first", async () => {
    const { library, post } = serve();
    library.add(storedModel("mini"));
    for (const model of ["mini", "embedder"]) {
      const { status, body } = await post(path, { model, keep_alive: 0 });
      expect(status).toBe(200);
      expect(body).toMatchObject({ model, done_reason: "unload" });
    }
    expect(library.calls).toEqual([
      { call: "unload", name: "mini" },
      { call: "unload", name: "embedder" },
    ]);
  });

  it("does not unload the model without the scope admin", async () => {
    const { library, post } = serve(keyLines);
    const { body } = await post(path, { model: "scripted", keep_alive: 0 }, "user");
    expect(body).toMatchObject({ done_reason: "unload" });
    expect(library.calls).toEqual([]);
  });

  it("returns 404 for an unknown model", async () => {
    const { post } = serve();
    for (const keepAlive of [0, "5m"]) {
      expect((await post(path, { model: "llama3", keep_alive: keepAlive })).status).toBe(404);
    }
  });
});
