import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { modelEvent } from "../../../src/api/llama-server/model-events.js";
import { GgufdError } from "../../../src/core/errors.js";
import { eventually } from "../../support/eventually.js";
import { listening, openRaw } from "../../support/raw-connection.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { storedModel } from "../../support/scripted-library.js";
import { servedModel } from "../../support/served-model.js";
import { eventJson } from "../../support/server-sent-events.js";
import {
  ALIAS,
  buildLoadingApp,
  buildTestApp,
  type TestAppOptions,
} from "../../support/test-app.js";

function appWith(options: TestAppOptions = {}) {
  const { app, library, models } = buildTestApp(
    new ScriptedEngine(() => ({ parts: ["ok"] })),
    options,
  );
  onTestFinished(() => app.close());
  const post = (url: string, payload: object) => app.inject({ method: "POST", url, payload });
  return { app, library, models, post };
}

const success = { success: true };

describe("POST /models/load", () => {
  test("responds as soon as the model starts loading", async () => {
    const { app, library, post } = appWith();
    library.add(storedModel("stored"));
    expect((await post("/models/load", { model: "stored" })).json()).toEqual(success);
    const statusOf = async () => (await app.inject("/models/stored")).json().status;
    expect(await statusOf()).toEqual({ value: "loading", progress: 0 });
    // The model is already loading.
    expect((await post("/v1/models/load", { model: "stored" })).json()).toEqual(success);
    expect(library.calls).toEqual([{ call: "load", name: "stored" }]);
    library.finishLoad("stored", servedModel("stored"));
    expect(await statusOf()).toEqual({ value: "loaded" });
  });

  test("reports why a model cannot be loaded, in the response or in the model list", async () => {
    const { app, library, post } = appWith();
    library.add(storedModel("stored"));
    const large = new GgufdError("invalid_request", "model: expected one that fits, got a large.");
    library.refuse("load", large);
    const refused = await post("/models/load", { model: "stored" });
    expect([refused.statusCode, refused.json().error.message]).toEqual([400, large.message]);

    library.refuse("load", undefined);
    await post("/models/load", { model: "stored" });
    library.failLoad("stored", new GgufdError("model_unavailable", "It cannot be loaded."));
    await eventually(async () => {
      const { status } = (await app.inject("/models/stored")).json();
      const reason = "It cannot be loaded.";
      expect(status).toEqual({ value: "unloaded", failed: true, exit_code: 1, reason });
    });
  });

  test("rejects a model that is already loaded, and returns 503 while the server's first model loads", async () => {
    const { post } = appWith();
    const response = await post("/models/load", { model: ALIAS });
    expect(response.statusCode).toBe(400);
    expect(response.json().error.message).toBe(
      "model: expected a model that is not loaded, got `scripted`, which is.",
    );
    const { app, library } = buildLoadingApp();
    onTestFinished(() => app.close());
    for (const url of ["/models/load", "/models/unload"]) {
      const early = await app.inject({ method: "POST", url, payload: { model: ALIAS } });
      expect([early.statusCode, early.json().error.code]).toEqual([503, "model_loading"]);
    }
    expect(library.calls.map(({ call }) => call)).toEqual(["end-pull"]);
  });
});

describe("POST /models/unload", () => {
  test("responds immediately and unloads the model", async () => {
    const { library, post } = appWith();
    library.add(storedModel("stored", { state: { state: "ready" } }));
    expect((await post("/models/unload", { model: "stored" })).json()).toEqual(success);
    expect(library.calls.at(-1)).toEqual({ call: "unload", name: "stored" });
    expect((await library.findEntry("stored")).state).toEqual({ state: "absent" });
  });

  test("cancels a load in progress", async () => {
    const { app, library, post } = appWith();
    library.add(storedModel("stored"));
    await post("/models/load", { model: "stored" });
    expect((await post("/models/unload", { model: "stored" })).json()).toEqual(success);
    const { status } = (await app.inject("/models/stored")).json();
    expect(status).toEqual({ value: "unloaded" });
  });

  test("cancels a download", async () => {
    const { library, post } = appWith();
    await post("/models", { model: "hf:a/b" });
    expect((await post("/models/unload", { model: "hf:a/b" })).json()).toEqual(success);
    await eventually(() => expect(library.pulls).toEqual([]));
    expect((await post("/models/unload", { model: "hf:a/b" })).statusCode).toBe(404);
  });

  test("rejects a model that is not loaded", async () => {
    const { library, post } = appWith();
    library.add(storedModel("stored"));
    const response = await post("/models/unload", { model: "stored" });
    expect(response.statusCode).toBe(400);
    expect(response.json().error.message).toBe(
      "model: expected a model that is loaded, got `stored`, which is not.",
    );
  });
});

describe("POST /models", () => {
  test("starts a download, which is listed until it ends", async () => {
    const { app, library, post } = appWith();
    expect((await post("/models", { model: "hf:a/b" })).json()).toEqual(success);
    const listed = async () =>
      (await app.inject("/models")).json<{ data: { id: string; status: object }[] }>().data[0];
    expect(await listed()).toMatchObject({
      ...{ id: "hf:a/b", status: { value: "downloading", progress: {} } },
    });
    library.scriptedPulls[0]?.finish();
    await eventually(async () =>
      expect(await listed()).toMatchObject({ id: "hf:a/b", status: { value: "unloaded" } }),
    );
  });

  test("returns 501 if downloads are disabled", async () => {
    const { library, post } = appWith();
    library.refuse("begin-pull", new GgufdError("unsupported_operation", "It is offline."));
    expect((await post("/models", { model: "hf:a/b" })).statusCode).toBe(501);
  });
});

describe("DELETE /models", () => {
  const remove = (query: string) => ({ method: "DELETE", url: `/models${query}` }) as const;

  test("removes a stored model whose name has several segments", async () => {
    const { app, library } = appWith();
    library.add(storedModel("a/b:Q4_K_M"));
    expect((await app.inject(remove("?model=a%2Fb:Q4_K_M"))).json()).toEqual(success);
    expect((await app.inject(remove("?model=a%2Fb:Q4_K_M"))).statusCode).toBe(404);
  });

  test("cancels a download", async () => {
    const { app, library, post } = appWith();
    await post("/models", { model: "hf:a/b" });
    const [download] = (await app.inject("/models")).json().data;
    expect(download).toMatchObject({ id: "hf:a/b", source: "cache", can_remove: true });
    expect((await app.inject(remove("?model=hf:a%2Fb"))).json()).toEqual(success);
    expect(library.pulls).toEqual([]);
  });

  test("rejects a configured model", async () => {
    const { app } = appWith();
    expect((await app.inject(remove(`?model=${ALIAS}`))).statusCode).toBe(400);
  });

  test("returns 409 if the model is in use", async () => {
    const { app, library } = appWith();
    library.refuse("remove", new GgufdError("model_in_use", "It is being pulled."));
    expect((await app.inject(remove("?model=a"))).statusCode).toBe(409);
  });

  test.each(["", "?model=", "?model=a&model=b"])(
    "requires exactly one model name: %s",
    async (query) => {
      const { app, library } = appWith();
      const response = await app.inject(remove(query));
      expect([response.statusCode, response.json().error.param]).toEqual([400, "model"]);
      expect(library.calls).toEqual([]);
    },
  );
});

describe("the model name in a request to load, unload or download", () => {
  const changes = ["/models", "/models/load", "/models/unload"];

  test.each([
    "/etc/passwd",
    "./model.gguf",
    "../model.gguf",
    "a/../../model.gguf",
    "~/model.gguf",
    "C:/model.gguf",
    "C:\\model.gguf",
    "\\\\host\\model.gguf",
    "https://example.com/model.gguf",
    "file:///model.gguf",
    "a\nb",
    "a\0",
    "",
    "a".repeat(513),
    7,
    null,
    undefined,
  ])("is rejected if it is a path, a URL or too long: %j", async (model) => {
    const { app, library, post } = appWith();
    for (const url of changes) {
      const response = await post(url, { model });
      expect([response.statusCode, response.json().error]).toEqual([
        400,
        expect.objectContaining({
          code: "invalid_request",
          param: "model",
          message: expect.stringMatching(/^model: expected the name of a model.*, got .*\.$/s),
        }),
      ]);
    }
    const query = encodeURIComponent(String(model ?? ""));
    const removed = await app.inject({ method: "DELETE", url: `/models?model=${query}` });
    expect(removed.statusCode).toBe(model === 7 ? 404 : 400);
    expect(library.calls.filter(({ call }) => call !== "remove")).toEqual([]);
  });

  test.each([
    "hf:ggml-org/gemma-3-4b-it-GGUF:Q4_K_M",
    "user/repo",
    "ollama:qwen3:8b",
    "a.b..c",
    "Größe 7",
  ])("is accepted in any valid form: %s", async (model) => {
    const { post } = appWith();
    expect((await post("/models", { model })).statusCode).toBe(200);
    expect((await post("/models/load", { model })).statusCode).toBe(404);
  });
});

describe("an API key", () => {
  test("requires the scope admin for everything except the model list", async () => {
    const { app, library } = appWith({ keyLines: ["a-key scopes=inference,todos"] });
    library.add(storedModel("stored"));
    const headers = { authorization: "Bearer a-key" };
    const payload = { model: "stored" };
    for (const [method, url] of [
      ["POST", "/models"],
      ["POST", "/models/load"],
      ["POST", "/models/unload"],
      ["DELETE", "/models?model=stored"],
      ["GET", "/models/sse"],
    ] as const) {
      expect((await app.inject({ method, url, payload })).statusCode).toBe(401);
      expect((await app.inject({ method, url, payload, headers })).statusCode).toBe(403);
    }
    expect((await app.inject({ url: "/models", headers })).statusCode).toBe(200);
    expect(library.calls).toEqual([]);
  });
});

describe("GET /models/sse", () => {
  const request = "GET /models/sse HTTP/1.1\r\nHost: localhost\r\n\r\n";

  async function following() {
    const { app, library } = appWith();
    const connection = await openRaw(await listening(app), request);
    await eventually(() => expect(connection.received()).toContain("text/event-stream"));
    return { app, library, ...connection };
  }

  test("sends headers immediately, then events", async () => {
    const { library, received } = await following();
    library.add(storedModel("stored"));
    library.setState("stored", { state: "loading", progress: 0.5 });
    library.setState("stored", { state: "ready" });
    library.tell({ type: "listed-anew" });
    await eventually(() => expect(received()).toContain("models_reload"));
    const [, body = ""] = received().split("\r\n\r\n");
    const events = eventJson(body.replaceAll(/[\da-f]+\r\n|\r\n/g, ""));
    expect(events.map((event) => modelEvent.parse(event).event)).toEqual([
      "model_status",
      "status_change",
      "models_reload",
    ]);
  });

  test("ends when the server drains", async () => {
    const { app, library, socket, closed } = await following();
    expect(library.followers).toBe(1);
    app.drain();
    await eventually(() => expect(library.followers).toBe(0));
    socket.end();
    expect(await closed).toMatch(/0\r\n\r\n$/);
    const late = await app.inject("/models/sse");
    expect([late.statusCode, late.body]).toEqual([200, ""]);
  });

  test("ends when the client disconnects", async () => {
    const { library, socket } = await following();
    expect(library.followers).toBe(1);
    socket.destroy();
    await eventually(() => expect(library.followers).toBe(0));
  });

  test("ends when the server drains, even if the client does not read", async () => {
    const { app, library, socket } = await following();
    socket.pause();
    // Exceeds the socket buffers of the client and the server.
    const name = "n".repeat(100_000);
    for (let index = 0; index < 200; index++) library.tell({ type: "pulled", name });
    await setImmediate();
    app.drain();
    await eventually(() => expect(library.followers).toBe(0));
  });

  test("responds to HEAD without a stream", async () => {
    const { app, library } = appWith();
    const response = await app.inject({ method: "HEAD", url: "/models/sse" });
    expect(response.statusCode).toBe(200);
    expect(library.followers).toBe(0);
  });
});
