import OpenAI from "openai";
import { describe, expect, onTestFinished, test } from "vitest";
import { modelList, toModel, toModelList } from "../../../src/api/models/models.js";
import { GgufdError } from "../../../src/core/errors.js";
import type { ModelState, ServedModel } from "../../../src/core/model-directory.js";
import { refusal } from "../../support/refusal.js";
import { runApp } from "../../support/running-app.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { storedModel } from "../../support/scripted-library.js";
import { servedModel } from "../../support/served-model.js";
import { buildLoadingApp, buildTestApp } from "../../support/test-app.js";

function get(url: string) {
  const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] })));
  onTestFinished(() => app.close());
  return app.inject(url);
}

/** Facts about the whole list. */
const facts = { default_model: null, can_download: false };

describe("pagination of models", () => {
  const listed = (alias: string) => toModel(storedModel(alias), "full");
  const models = ["b", "a", "d", "c"].map(listed);
  const namesOf = ({ data }: ReturnType<typeof toModelList>) => data.map(({ id }) => id);

  test("sorts by name", () => {
    const first = toModelList(models, { limit: 3 }, facts);
    expect(namesOf(first)).toEqual(["a", "b", "c"]);
    expect(first.pagination).toEqual({ next_cursor: expect.any(String), has_more: true });
    const cursor = String(first.pagination.next_cursor);
    const second = toModelList(models, { limit: 3, cursor }, facts);
    expect(namesOf(second)).toEqual(["d"]);
    expect(second.pagination).toEqual({ next_cursor: null, has_more: false });
  });

  test("is stable when models are added and removed between pages", () => {
    const cursor = String(toModelList(models, { limit: 2 }, facts).pagination.next_cursor);
    const later = ["a", "aa", "bb", "d"].map(listed);
    expect(namesOf(toModelList(later, { limit: 2, cursor }, facts))).toEqual(["bb", "d"]);
  });

  test("rejects the cursor of another list", () => {
    expect(refusal(() => toModelList(models, { limit: 1, cursor: "x" }, facts)).code).toBe(
      "invalid_cursor",
    );
  });
});

describe("a loaded model", () => {
  const capabilitiesOf = (served: ServedModel) =>
    toModel(storedModel("one", { loaded: served }), "full").capabilities;

  test("reports its capabilities", () => {
    const served = servedModel("one");
    const able = ["completion", "tools", "structured_output"];
    expect(capabilitiesOf(served)).toEqual(able);
    const reasoning = { ...served.engine, rendersReasoning: true };
    expect(capabilitiesOf({ ...served, engine: reasoning })).toEqual([...able, "reasoning"]);
    const infill = { ...served.engine, fillsGaps: true };
    expect(capabilitiesOf({ ...served, engine: infill })).toEqual([...able, "infill"]);
    const media = { ...served.engine, media: ["image", "audio"] as const };
    expect(capabilitiesOf({ ...served, engine: media })).toEqual([...able, "vision", "audio"]);
  });
});

describe("a model that is not loaded", () => {
  test("is listed with its state and metadata only", () => {
    const fieldsOf = (state: ModelState, failure?: GgufdError) =>
      toModel(storedModel("later", { state, failure }), "full");
    const identity = {
      ...{ id: "later", aliases: [], object: "model", owned_by: "ggufd", root: "later" },
      ...{ created: expect.any(Number), source: "cache", can_remove: true },
      architecture: { input_modalities: ["text"], output_modalities: ["text"] },
    };
    const loading = { value: "loading", progress: 0.5 };
    expect(fieldsOf({ state: "loading", progress: 0.5 })).toEqual({ ...identity, status: loading });
    const absent = { state: "absent" } as const;
    expect(fieldsOf(absent)).toEqual({ ...identity, status: { value: "unloaded" } });
    const failed = { value: "unloaded", failed: true, exit_code: 1, reason: "It is too large." };
    const failure = new GgufdError("invalid_request", "It is too large.");
    expect(fieldsOf(absent, failure)).toEqual({ ...identity, status: failed });
  });
});

describe("a model's origin", () => {
  test.each([
    ["configured", "preset", false],
    ["own", "cache", true],
    ["added", "models_dir", true],
    ["other-program", "models_dir", false],
  ] as const)("%s is reported as %s", (from, source, canRemove) => {
    const listed = toModel(storedModel("one", { from }), "full");
    expect(listed).toMatchObject({ source, can_remove: canRemove });
  });
});

describe("GET /v1/models", () => {
  test.each(["/models", "/v1/models"])(
    "lists capabilities for llama-server's clients: %s",
    async (url) => {
      const engine = (media: ("image" | "audio")[]) =>
        new ScriptedEngine(() => ({ parts: [] }), { media });
      for (const [media, capabilities] of [
        [[], ["completion"]],
        [["image"], ["completion", "multimodal"]],
      ] as const) {
        const { app } = buildTestApp(engine([...media]));
        onTestFinished(() => app.close());
        expect((await app.inject(url)).json().models).toMatchObject([
          { name: "scripted", model: "scripted", capabilities },
        ]);
      }
    },
  );

  test("is in OpenAI's format, with pagination", async () => {
    for (const url of ["/v1/models", "/v1/models?limit=1", "/v1/models?limit=100&unknown=1"]) {
      const response = await get(url);
      expect(response.statusCode).toBe(200);
      expect(Object.keys(response.json())).toEqual([
        ...["object", "data", "pagination", "default_model", "can_download", "models"],
      ]);
      expect(modelList.parse(response.json())).toEqual(response.json());
      expect(response.json().pagination).toEqual({ next_cursor: null, has_more: false });
    }
  });

  test("lists stored models and downloads with their states", async () => {
    const { app, library } = buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] })));
    onTestFinished(() => app.close());
    library.add(storedModel("absent"));
    library.add(storedModel("going", { state: { state: "unloading" } }));
    library.beginPull("hf:a/b");
    library.beginPull("absent");
    library.scriptedPulls[0]?.emit({
      ...{ type: "progress", path: "hf/a/b.gguf" },
      ...{ completedBytes: 5, totalBytes: undefined },
    });
    const body = (await app.inject("/v1/models")).json();
    expect(modelList.parse(body)).toEqual(body);
    const statuses = body.data.map(({ id, status }: { id: string; status: object }) => [
      id,
      status,
    ]);
    expect(statuses).toEqual([
      ["absent", { value: "unloaded" }],
      ["going", { value: "unloading" }],
      ["hf:a/b", { value: "downloading", progress: { "hf/a/b.gguf": { done: 5, total: 0 } } }],
      ["scripted", { value: "loaded" }],
    ]);
    const reloaded = await app.inject("/v1/models?reload=1&reload=2");
    expect(reloaded.json().data).toHaveLength(4);
    expect(library.calls).toContainEqual({ call: "reload" });
  });

  test("names the model that answers requests without a model", async () => {
    expect((await get("/v1/models")).json()).toMatchObject({ default_model: "scripted" });
  });

  test.each([
    ["an-admin", true, true],
    ["an-admin", false, false],
    ["a-reader", true, false],
    ["a-user", true, false],
  ])(
    "says whether the key %s can download models (of a server that can: %s)",
    async (key, canPull, expected) => {
      const { app, library } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })), {
        keyLines: [
          "an-admin scopes=admin",
          "a-user scopes=inference",
          "a-reader scopes=admin access=read-only",
        ],
      });
      onTestFinished(() => app.close());
      library.canPull = canPull;
      const headers = { authorization: `Bearer ${key}` };
      const listed = (await app.inject({ url: "/v1/models", headers })).json();
      expect(listed.can_download).toBe(expected);
    },
  );

  test("has details of the files on request", async () => {
    const { app, library } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })));
    onTestFinished(() => app.close());
    library.add(storedModel("a", { hasProjector: true, lastUsedMs: 1_767_225_600_999 }));
    library.add(storedModel("b", { memory: { cpuBytes: 3e9, gpuBytes: 1e9 } }));
    library.headers.set("b", undefined);
    const plain = (await app.inject("/v1/models")).json();
    expect(plain.data[0]).not.toHaveProperty("details");
    const body = (await app.inject("/v1/models?details=true")).json();
    expect(modelList.parse(body)).toEqual(body);
    const a = {
      kind: "generation",
      quantization: "Q8_0",
      architecture: "llama",
      n_params: 4_443_392,
      n_ctx_train: 2048,
      has_projector: true,
      size: 4_794_464,
      memory: { bytes: 4_794_464 + 256 * 2 ** 20, is_estimate: true },
      last_used_at: 1_767_225_600,
    };
    const unreadable = { kind: null, quantization: null, architecture: null };
    const b = {
      ...{ ...unreadable, n_params: null, n_ctx_train: null, has_projector: false },
      ...{ size: 4_794_464, memory: { bytes: 4e9, is_estimate: false }, last_used_at: null },
    };
    expect(body.data.slice(0, 2)).toMatchObject([
      { id: "a", details: a },
      { id: "b", details: b },
    ]);
    expect((await app.inject("/v1/models?details=1")).statusCode).toBe(400);
  });

  test("lists the aliases of a model, which every dialect answers to", async () => {
    const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: ["Hi"] })), {
      aliases: ["gpt-4", "Mini"],
    });
    onTestFinished(() => app.close());
    const { data } = (await app.inject("/v1/models")).json();
    expect(data).toMatchObject([{ id: "scripted", aliases: ["gpt-4", "Mini"] }]);
    for (const model of ["scripted", "gpt-4", "Mini", "mini"]) {
      expect((await app.inject(`/v1/models/${model}`)).json()).toEqual(data[0]);
      for (const url of ["/v1/chat/completions", "/v1/messages", "/api/chat"]) {
        const messages = [{ role: "user", content: "Hi" }];
        const payload = { model, messages, max_tokens: 5, stream: false };
        const answer = await app.inject({ method: "POST", url, payload });
        expect([url, answer.statusCode]).toEqual([url, 200]);
      }
    }
    const unknown = await app.inject("/v1/models/gpt-5");
    expect(unknown.json().error.message).toContain("`gpt-4`");
  });

  test.each([
    ["/v1/models?reload=1", "an-admin", 1],
    ["/models?reload=1", "an-admin", 1],
    ["/v1/models?reload=", "an-admin", 0],
    ["/v1/models", "an-admin", 0],
    ["/v1/models?reload=1", "a-user", 0],
    ["/v1/models?reload=1", "a-reader", 0],
  ])("%s of the key %s reads the presets again %i times", async (url, key, times) => {
    const { app, library } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })), {
      keyLines: [
        "an-admin scopes=admin",
        "a-user scopes=inference",
        "a-reader scopes=admin access=read-only",
      ],
    });
    onTestFinished(() => app.close());
    const listed = await app.inject({ url, headers: { authorization: `Bearer ${key}` } });
    expect(listed.statusCode).toBe(200);
    expect(library.calls).toHaveLength(times);
  });

  test("returns 503 while no model is loaded, even if models are stored", async () => {
    const { app, library } = buildLoadingApp();
    onTestFinished(() => app.close());
    library.add(storedModel("absent"));
    for (const [url, code] of [
      ["/v1/models", "model_loading"],
      ["/v1/models/scripted", "model_loading"],
    ]) {
      const response = await app.inject(String(url));
      expect([response.statusCode, response.json().error.code]).toEqual([503, code]);
    }
    expect((await app.inject("/v1/models/absent")).json().status).toEqual({ value: "unloaded" });
  });

  test("can be paged through by the OpenAI SDK", async () => {
    const running = await runApp(new ScriptedEngine(() => ({ parts: ["ok"] })));
    onTestFinished(() => running.close());
    const client = new OpenAI({ baseURL: `${running.url}/v1`, apiKey: "any" });
    const page = await client.models.list();
    expect(page.hasNextPage()).toBe(false);
    const names: string[] = [];
    for await (const { id } of page) names.push(id);
    expect(names).toEqual(["scripted"]);
  });

  test.each([
    ["limit=0", "invalid_request", "limit"],
    ["limit=101", "invalid_request", "limit"],
    ["limit=", "invalid_request", "limit"],
    ["limit=1&limit=2", "invalid_request", "limit"],
    ["cursor=", "invalid_cursor", "cursor"],
    ["cursor=scripted", "invalid_cursor", "cursor"],
    ["cursor=a&cursor=b", "invalid_request", "cursor"],
  ])("returns 400 for ?%s", async (query, code, field) => {
    const response = await get(`/v1/models?${query}`);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual({
      error: {
        code,
        type: "invalid_request_error",
        param: field,
        message: expect.stringMatching(`^${field}: expected `),
        details: [{ field, reason: expect.stringMatching(/^expected /) }],
        request_id: response.headers["x-request-id"],
      },
    });
  });
});
