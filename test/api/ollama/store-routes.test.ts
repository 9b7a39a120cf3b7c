import type { InjectOptions } from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import { eventually } from "../../support/eventually.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { type ScriptedPull, STORED, storedModel } from "../../support/scripted-library.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";

function serve(options: TestAppOptions = {}) {
  const { app, library } = buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] })), options);
  onTestFinished(() => app.close());
  const ask = (
    method: "POST" | "DELETE",
    path: string,
    payload: object,
    headers: InjectOptions["headers"] = {},
  ) => app.inject({ method, url: `/api/${path}`, payload, headers });
  return { app, library, ask };
}

type Served = ReturnType<typeof serve>;

/** Waits for the pull that a request starts. */
function pullOf({ library }: Pick<Served, "library">): Promise<ScriptedPull> {
  return eventually(() => {
    const pull = library.scriptedPulls.at(-1);
    if (pull === undefined) throw new Error("no pull has begun");
    return pull;
  });
}

const linesOf = (body: string) =>
  body
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

const weights = { path: "a.gguf", role: "model", sizeBytes: 10, sha256: "a".repeat(64) } as const;

describe("POST /api/pull", () => {
  it("streams progress as JSON lines", async () => {
    const { library, ask } = serve();
    const answer = ask("POST", "pull", { model: "llama3.2:1b" });
    const pull = await pullOf({ library });
    pull.emit({ type: "resolved", name: pull.name, files: [weights] });
    pull.finish();
    const { statusCode, headers, body } = await answer;
    expect(statusCode).toBe(200);
    expect(headers["content-type"]).toMatch(/^application\/x-ndjson/);
    expect(linesOf(body).map(({ status }) => status)).toEqual([
      "pulling manifest",
      "pulling aaaaaaaaaaaa",
      "verifying sha256 digest",
      "writing manifest",
      "success",
    ]);
    expect(library.calls).toEqual([{ call: "pull", name: "ollama:llama3.2:1b" }]);
  });

  it("returns a single object if the client disables streaming", async () => {
    const { library, ask } = serve();
    const answer = ask("POST", "pull", { name: "hf.co/user/repo:Q8_0", stream: false });
    const pull = await pullOf({ library });
    pull.emit({ type: "resolved", name: pull.name, files: [weights] });
    pull.finish();
    expect((await answer).json()).toEqual({ status: "success" });
    expect(pull.name).toBe("hf:user/repo:Q8_0");
  });

  it.each([true, false])(
    "returns the error's HTTP status before the first line, streaming: %j",
    async (stream) => {
      const { library, ask } = serve();
      const answer = ask("POST", "pull", { model: "llama3:7t", stream });
      const pull = await pullOf({ library });
      pull.emit({ type: "resolving", name: pull.name });
      pull.fail(new GgufdError("model_not_found", "There is none."));
      expect((await answer).statusCode).toBe(404);
      expect((await answer).json()).toEqual({ error: "There is none." });
    },
  );

  it("ends with an error line if the pull fails after the first line", async () => {
    const { library, ask } = serve();
    const answer = ask("POST", "pull", { model: "llama3" });
    const pull = await pullOf({ library });
    pull.emit({ type: "resolved", name: pull.name, files: [weights] });
    pull.fail(new GgufdError("storage_full", "The disk is full."));
    const { statusCode, body } = await answer;
    expect(statusCode).toBe(200);
    expect(linesOf(body).at(-1)).toEqual({ error: "The disk is full." });
  });

  it.each([
    [{}, "model: expected a model's name, got nothing."],
    [
      { model: "/etc/passwd" },
      'model: expected a model from Ollama\'s registry, .*, got "/etc/passwd"',
    ],
    [{ model: "https://example.com/a.gguf" }, "model: expected a model from"],
    [{ name: "localhost:5000/a/b" }, "name: expected a model from"],
    [{ model: "llama3", insecure: true }, "insecure: expected false, because .*, got true"],
    [{ model: "llama3", stream: "no" }, "stream: expected true or false"],
  ])("rejects %j", async (body, message) => {
    const { library, ask } = serve();
    const response = await ask("POST", "pull", body);
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatch(new RegExp(`^${message}`));
    expect(library.calls).toEqual([]);
  });

  it("accepts fields without effect that clients send", async () => {
    const { library, ask } = serve();
    const answer = ask("POST", "pull", { name: "a", model: null, insecure: false, stream: false });
    (await pullOf({ library })).finish();
    expect((await answer).statusCode).toBe(200);
  });
});

describe("DELETE /api/delete", () => {
  it.each(["model", "name"])("removes the model named in the field %s", async (field) => {
    const { library, ask } = serve();
    library.add(storedModel("user/repo:Q8_0"));
    const response = await ask("DELETE", "delete", { [field]: "user/repo:Q8_0" });
    expect([response.statusCode, response.body]).toEqual([200, ""]);
    expect(library.calls).toEqual([{ call: "remove", name: "user/repo:Q8_0" }]);
    expect((await ask("DELETE", "delete", { [field]: "user/repo:Q8_0" })).statusCode).toBe(404);
  });

  it("finds a model by its name with the tag latest", async () => {
    const { ask } = serve();
    const { error } = (await ask("DELETE", "delete", { model: "scripted:latest" })).json();
    expect(error).toBe("The model `scripted` is configured.");
  });

  it("returns 409 if the model is in use", async () => {
    const { library, ask } = serve();
    library.add(storedModel("mini"));
    library.refuse("remove", new GgufdError("model_in_use", "It is being pulled."));
    const response = await ask("DELETE", "delete", { model: "mini" });
    expect([response.statusCode, response.json()]).toEqual([409, { error: "It is being pulled." }]);
  });

  it.each([{}, { model: "" }, { model: "../mini" }, { model: "/models/mini.gguf" }])(
    "rejects %j",
    async (body) => {
      const { library, ask } = serve();
      const response = await ask("DELETE", "delete", body);
      expect(response.statusCode).toBe(400);
      expect(response.json().error).toMatch(/^model: expected /);
      expect(library.calls).toEqual([]);
    },
  );
});

describe("POST /api/copy", () => {
  it("adds another name for a model", async () => {
    const { app, library, ask } = serve();
    const response = await ask("POST", "copy", { source: "scripted", destination: "mine:latest" });
    expect([response.statusCode, response.body]).toEqual([200, ""]);
    expect(library.calls).toEqual([{ call: "copy", name: "scripted", to: "mine" }]);
    const { models } = (await app.inject("/api/tags")).json();
    expect(models.map(({ name }: { name: string }) => name)).toContain("mine:latest");
  });

  it.each([
    [{ destination: "mine" }, 400, "source: expected a non-empty string, got nothing"],
    [{ source: "scripted" }, 400, "destination: expected a model's name, .*, got nothing"],
    [{ source: "scripted", destination: "../mine" }, 400, "destination: expected a model's name"],
    [{ source: "/scripted", destination: "mine" }, 400, "source: expected a model's name"],
    [{ source: "llama3", destination: "mine" }, 404, "The model `llama3` does not exist"],
  ])("rejects %j", async (body, status, message) => {
    const { library, ask } = serve();
    const response = await ask("POST", "copy", body);
    expect(response.statusCode).toBe(status);
    expect(response.json().error).toMatch(new RegExp(message));
    expect(library.calls).toEqual([]);
  });
});

describe("POST /api/create", () => {
  const base = storedModel("base");
  const texts = {
    system: "Be kind.",
    template: undefined,
    parameters: { temperature: 0.5, top_k: 3 },
    licenses: ["MIT"],
  };

  it("creates a model from another one", async () => {
    const { library, ask } = serve();
    library.add(base, texts);
    const response = await ask("POST", "create", {
      model: "mine:latest",
      from: "base",
      system: "Be brief.",
      parameters: { temperature: 0, stop: "a", num_ctx: 4096, seed: null },
      license: ["Apache"],
    });
    expect(response.statusCode).toBe(200);
    expect(linesOf(response.body).map(({ status }) => status)).toEqual([
      `using existing layer sha256:${STORED.sha256}`,
      "writing manifest",
      "success",
    ]);
    const recipe = {
      from: "base",
      texts: {
        system: "Be brief.",
        parameters: { temperature: 0, top_k: 3, num_ctx: 4096, stop: ["a"] },
        licenses: ["MIT", "Apache"],
      },
    };
    expect(library.calls).toEqual([{ call: "make", name: "mine", recipe }]);
  });

  it("keeps the base model's settings when absent, and ignores options without effect", async () => {
    const { library, ask } = serve();
    library.add(base, texts);
    const empty = { template: "", messages: [], quantize: "", files: {}, adapters: null };
    const response = await ask("POST", "create", {
      name: "mine",
      from: "base",
      stream: false,
      ...empty,
    });
    expect(response.json()).toEqual({ status: "success" });
    const recipe = { from: "base", texts: {} };
    expect(library.calls).toEqual([{ call: "make", name: "mine", recipe }]);
  });

  it.each([
    [
      { template: "{{ .Prompt }}" },
      "template: expected nothing, because Go templates are not supported",
    ],
    [{ messages: [{ role: "user" }] }, "messages.0: expected no messages, because"],
    [{ quantize: "q4_K_M" }, "quantize: expected nothing, because this server quantises no models"],
    [{ files: { "a.gguf": "sha256:0" } }, "files.a.gguf: expected no file, because"],
    [{ adapters: { "a.gguf": "sha256:0" } }, "adapters.a.gguf: expected no adapter, because"],
    [{ parameters: { temperature: "hot" } }, "parameters.temperature: expected a number"],
    [{ parameters: { heat: 1 } }, "parameters.heat: expected no such field, got 1"],
    [{ license: 7 }, "license: expected a string"],
    [{ from: "/models/a.gguf" }, "from: expected a model's name"],
    [{ from: null }, "from: expected the name of an existing model, got nothing"],
    [{ model: null }, "model: expected a model's name, got nothing"],
    [{ model: "../mine" }, "model: expected a model's name"],
  ])("rejects %j", async (fields, message) => {
    const { library, ask } = serve();
    const response = await ask("POST", "create", { model: "mine", from: "scripted", ...fields });
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toContain(message);
    expect(library.calls).toEqual([]);
  });

  it("returns 404 if the base model does not exist", async () => {
    const response = await serve().ask("POST", "create", { model: "mine", from: "llama3" });
    expect(response.statusCode).toBe(404);
  });

  it("returns the error's HTTP status if the creation fails", async () => {
    const { library, ask } = serve();
    library.refuse("make", new GgufdError("storage_full", "The disk is full."));
    const response = await ask("POST", "create", { model: "mine", from: "scripted" });
    expect([response.statusCode, response.json()]).toEqual([507, { error: "The disk is full." }]);
  });
});

describe("an API key", () => {
  const keyLines = ["operator name=operator", "user name=user scopes=inference"];
  const changes = [
    ["POST", "pull", { model: "llama3", stream: false }],
    ["DELETE", "delete", { model: "mini" }],
    ["POST", "copy", { source: "mini", destination: "mine" }],
    ["POST", "create", { model: "mine", from: "mini" }],
  ] as const;

  it.each(changes)("requires the scope admin: %s %s", async (method, path, body) => {
    const { library, ask } = serve({ keyLines });
    library.add(storedModel("mini"));
    const withKey = (key: string) => ask(method, path, body, { authorization: `Bearer ${key}` });
    const refused = await withKey("user");
    expect(refused.statusCode).toBe(403);
    expect(refused.json().error).toContain("scope admin");
    expect(library.calls).toEqual([]);
    const answer = withKey("operator");
    if (path === "pull") (await pullOf({ library })).finish();
    expect((await answer).statusCode).toBe(200);
  });

  it("may list models with any scope", async () => {
    const { app, library } = serve({ keyLines });
    library.add(storedModel("mini"));
    const headers = { authorization: "Bearer user" };
    const { models } = (await app.inject({ url: "/api/tags", headers })).json();
    expect(models.map(({ name }: { name: string }) => name)).toEqual([
      "scripted:latest",
      "mini:latest",
    ]);
    expect((await app.inject({ url: "/api/ps", headers })).json().models).toHaveLength(1);
  });
});

describe("an unsupported Ollama route", () => {
  it.each([
    ["/api/push", "POST /api/push: this server does not push models to registries."],
    ["/api/blobs/sha256:00", "POST /api/blobs/:digest: this server takes no files from clients; "],
  ])("returns 501: POST %s", async (url, message) => {
    const { app } = serve();
    const response = await app.inject({ method: "POST", url, payload: { name: "llama3" } });
    expect(response.statusCode).toBe(501);
    expect(response.json().error).toContain(message);
  });
});
