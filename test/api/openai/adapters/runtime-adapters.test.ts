import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { GgufdError } from "../../../../src/core/errors.js";
import { deferred, ScriptedEngine } from "../../../support/scripted-engine.js";
import { someAdapter } from "../../../support/some-adapter.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";
import { buildTestApp, type TestAppOptions } from "../../../support/test-app.js";

let folder: string;
let outside: string;
beforeEach(async () => {
  const base = await temporaryFolder();
  [folder, outside] = [join(base, "adapters"), join(base, "adapters-not")];
  await mkdir(join(folder, "team"), { recursive: true });
  await mkdir(outside);
  for (const path of [join(folder, "sql.gguf"), join(folder, "team", "a.gguf")]) {
    await writeFile(path, "");
  }
  await writeFile(join(outside, "secret.gguf"), "");
  await symlink(join(outside, "secret.gguf"), join(folder, "link.gguf"));
  await symlink(join(folder, "sql.gguf"), join(folder, "alias.gguf"));
});

function serve(
  options: TestAppOptions = { allowRuntimeLora: folder },
  engineOptions: ConstructorParameters<typeof ScriptedEngine>[1] = {},
) {
  const engine = new ScriptedEngine(() => ({ parts: ["ok"] }), engineOptions);
  const { app } = buildTestApp(engine, options);
  onTestFinished(() => app.close());
  const post = (url: string, payload: object, key = "") =>
    app.inject({ method: "POST", url, payload, headers: { "x-api-key": key } });
  return {
    engine,
    load: (payload: object, key?: string) => post("/v1/load_lora_adapter", payload, key),
    unload: (payload: object, key?: string) => post("/v1/unload_lora_adapter", payload, key),
    ask: (model: string) =>
      post("/v1/chat/completions", { model, messages: [{ role: "user", content: "Hi" }] }),
  };
}

const sql = { lora_name: "sql", lora_path: "sql.gguf" };

describe("POST /v1/load_lora_adapter", () => {
  it("loads an adapter, which requests can then select", async () => {
    const { engine, load, ask } = serve();
    expect((await ask("sql")).statusCode).toBe(404);
    const response = await load(sql);
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(response.body).toBe("Success: LoRA adapter 'sql' added successfully.");
    expect((await ask("sql")).json().model).toBe("sql");
    expect(engine.requests.at(-1)?.adapters).toEqual([{ name: "sql", scale: 1 }]);
    await ask("scripted");
    expect(engine.requests.at(-1)?.adapters).toBeUndefined();
  });

  it.each(["a\u202eb", "a\u001b[2J", "\ud800", "a\u200b"])(
    "rejects a name with control or format characters: %j",
    async (name) => {
      const { engine, load } = serve();
      const response = await load({ ...sql, lora_name: name });
      expect(response.statusCode).toBe(400);
      expect(response.json().error).toMatchObject({
        param: "lora_name",
        message: expect.stringContaining("without control or format characters"),
      });
      expect(engine.adapters).toEqual([]);
    },
  );

  it("accepts relative and absolute paths below the directory, and links within it", async () => {
    const { engine, load } = serve();
    const paths = ["team/a.gguf", join(folder, "sql.gguf"), "team/../sql.gguf", "alias.gguf"];
    for (const [index, path] of paths.entries()) {
      expect((await load({ lora_name: `${index}`, lora_path: path })).statusCode).toBe(200);
    }
    expect(engine.adapters.map(({ path }) => path.slice(folder.length))).toEqual([
      "/team/a.gguf",
      "/sql.gguf",
      "/sql.gguf",
      "/sql.gguf",
    ]);
  });

  it("does not reveal whether a file exists outside the directory", async () => {
    const { engine, load } = serve();
    const paths = [
      ...["none.gguf", "..", ".", "../adapters-not/secret.gguf", "link.gguf", "/etc/passwd"],
      ...["/none", join(outside, "secret.gguf"), outside, folder, "team/../../x"],
    ];
    for (const path of paths) {
      const response = await load({ lora_name: "x", lora_path: path });
      expect(response.statusCode).toBe(400);
      expect(response.json().error).toMatchObject({
        code: "invalid_request",
        param: "lora_path",
        message: `lora_path: expected a file below the folder of adapters, got ${path}.`,
      });
    }
    expect(engine.adapters).toEqual([]);
  });

  it.each<[object, string, string]>([
    [{ lora_path: "sql.gguf" }, "lora_name", "expected a name of 1 to 200 characters"],
    [{ ...sql, lora_name: "" }, "lora_name", 'control or format characters, got ""'],
    [{ ...sql, lora_name: "x".repeat(201) }, "lora_name", "expected a name of 1 to 200"],
    [{ lora_name: "sql" }, "lora_path", "expected a path of 1 to 4096 characters"],
    [{ ...sql, lora_path: "a\0b" }, "lora_path", "without NUL"],
    [{ ...sql, base_model_name: "" }, "base_model_name", "expected a non-empty string"],
    [{ ...sql, lora_name: "scripted" }, "lora_name", "got scripted, which a model has"],
  ])("rejects %.80j", async (payload, param, reason) => {
    const { load } = serve();
    const response = await load(payload);
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({ code: "invalid_request", param });
    expect(response.json().error.message).toContain(reason);
  });

  it("rejects a name that another adapter has or is about to get", async () => {
    const { promise, resolve } = deferred();
    const { load } = serve({ allowRuntimeLora: folder }, { onAdapt: () => promise });
    const first = load(sql);
    await new Promise(setImmediate);
    const second = load(sql);
    await new Promise(setImmediate);
    resolve();
    const outcomes = await Promise.all([first, second]);
    expect(outcomes.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400]);
    expect((await load(sql)).json().error).toMatchObject({
      param: "lora_name",
      message: "lora_name: expected a unique name, got sql, which an adapter of scripted has.",
    });
  });

  it("rejects an unknown model, and more adapters than a model may have", async () => {
    const adapters = Array.from({ length: 32 }, (_, index) => someAdapter(`a${index}`));
    const { load } = serve({ allowRuntimeLora: folder }, { adapters });
    const other = await load({ ...sql, base_model_name: "other" });
    expect(other.json().error.code).toBe("model_not_found");
    const response = await load({ ...sql, base_model_name: "scripted" });
    expect(response.json().error.message).toContain("expected at most 32 adapters of a model");
  });

  it("reports an invalid file by the path that the client sent", async () => {
    const { load, ask } = serve(
      { allowRuntimeLora: folder },
      {
        onAdapt: (change) => {
          const path = change.type === "load" ? change.adapter.path : "";
          throw new GgufdError("invalid_request", `lora ${path}: ${path} is not a GGUF file.`, {
            param: "lora_path",
          });
        },
      },
    );
    const response = await load({ lora_name: "a", lora_path: "team/a.gguf" });
    expect(response.json().error.message).toBe(
      "lora_path team/a.gguf: team/a.gguf is not a GGUF file.",
    );
    expect((await ask("a")).statusCode).toBe(404);
  });
});

describe("POST /v1/unload_lora_adapter", () => {
  it("unloads an adapter and frees its name", async () => {
    const { load, unload, ask } = serve();
    await load(sql);
    const response = await unload({ lora_name: "sql" });
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe("Success: LoRA adapter 'sql' removed successfully.");
    expect((await ask("sql")).statusCode).toBe(404);
    expect((await load(sql)).statusCode).toBe(200);
  });

  it("rejects requests for an adapter that is being unloaded", async () => {
    const { promise, resolve } = deferred();
    const { unload, ask } = serve(
      { allowRuntimeLora: folder },
      { adapters: [someAdapter("sql", { use: "always" })], onAdapt: () => promise },
    );
    const unloaded = unload({ lora_name: "sql" });
    await new Promise(setImmediate);
    expect((await ask("sql")).statusCode).toBe(404);
    resolve();
    expect((await unloaded).statusCode).toBe(200);
  });

  it.each(["none", "scripted"])(
    "returns 404 for %s, which is not a loaded adapter",
    async (name) => {
      const { unload } = serve();
      const response = await unload({ lora_name: name });
      expect(response.statusCode).toBe(404);
      expect(response.json().error).toMatchObject({
        code: "model_not_found",
        param: "lora_name",
        message: `lora_name: expected a loaded adapter, got ${name}.`,
      });
    },
  );
});

describe("both LoRA adapter routes", () => {
  it("are disabled unless the operator sets --allow-runtime-lora", async () => {
    const { load, unload } = serve({});
    for (const response of [await load(sql), await unload({ lora_name: "sql" })]) {
      expect(response.statusCode).toBe(501);
      expect(response.json().error.message).toContain("--allow-runtime-lora");
    }
  });

  it("require the scope admin", async () => {
    const keyLines = ["user name=user scopes=inference", "operator name=operator scopes=admin"];
    const { load, unload } = serve({ allowRuntimeLora: folder, keyLines });
    expect((await load(sql, "user")).statusCode).toBe(403);
    expect((await load(sql, "operator")).statusCode).toBe(200);
    expect((await unload({ lora_name: "sql" }, "user")).statusCode).toBe(403);
    expect((await unload({ lora_name: "sql" }, "operator")).statusCode).toBe(200);
  });
});
