import { platform } from "node:os";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { tinyModel } from "../support/random-models.js";
import { childOf } from "./child-processes.js";
import { run, SEVERAL_STARTS, start } from "./daemon.js";

const common = ["--gpu", "off", "--threads", "1"] as const;
const main = () => ["--model", tinyModel(), "--alias", "tiny"] as const;
const embedding = () => ["--embedding-model", tinyModel("f32", "embed-tiny")] as const;
const reranking = () => ["--reranking-model", tinyModel("f32", "rerank-tiny")] as const;

async function post(url: string, body: object) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

const chat = (url: string, fields: object = {}) =>
  post(`${url}/v1/chat/completions`, {
    messages: [{ role: "user", content: "Hi" }],
    max_tokens: 2,
    ...fields,
  });
const embed = (url: string, fields: object = {}) =>
  post(`${url}/v1/embeddings`, { input: "Hi", encoding_format: "float", ...fields });
const rerank = (url: string) => post(`${url}/v1/rerank`, { query: "Hi", documents: ["a", "b"] });

const health = async (url: string) => (await fetch(`${url}/health`)).json();

describe("several loaded models", { timeout: SEVERAL_STARTS }, () => {
  it.runIf(platform() === "linux")(
    "are unaffected when another model's process is killed",
    async () => {
      const daemon = await start([...common, ...main(), ...embedding(), ...reranking()]);
      const { url } = daemon;
      const names = ["tiny", "embed-tiny.f32", "rerank-tiny.f32"];
      expect(await health(url)).toEqual({
        status: "ok",
        models: names.map((model) => ({ model, status: "ok" })),
      });
      const answers = await Promise.all([chat(url), embed(url), rerank(url)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      const before = answers[1]?.body;

      const killed = childOf(daemon, /ggufd embedding/);
      process.kill(killed ?? Number.NaN, "SIGKILL");
      await eventually(async () =>
        expect(await health(url)).toMatchObject({
          status: "restarting model",
          models: [{ status: "ok" }, { status: "restarting model" }, { status: "ok" }],
        }),
      );
      expect(await embed(url)).toMatchObject({ status: 503 });
      const others = await Promise.all([chat(url), rerank(url)]);
      expect(others.map(({ status }) => status)).toEqual([200, 200]);

      await eventually(async () => expect((await embed(url)).status).toBe(200));
      expect((await embed(url)).body).toEqual(before);
      daemon.process.kill("SIGTERM");
      expect((await daemon.exited).code).toBe(0);
    },
  );

  it("accept only requests for their purpose", async () => {
    const { url } = await start([...common, ...main(), ...embedding()]);
    const refused = { status: 400, body: { error: { param: "model" } } };
    expect(await chat(url, { model: "embed-tiny.f32" })).toMatchObject(refused);
    expect(await embed(url, { model: "tiny" })).toMatchObject(refused);
    expect(await rerank(url)).toMatchObject(refused);
    expect(await embed(url, { model: "other" })).toMatchObject({ status: 404 });
    const list = await (await fetch(`${url}/v1/models`)).json();
    expect(list).toMatchObject({ data: [{ id: "embed-tiny.f32" }, { id: "tiny" }] });
  });

  it("are rejected at startup if they have the same name", async () => {
    const names = ["--alias", "same", "--embedding-alias", "same"];
    const { code, stderr } = await run([...common, ...embedding(), ...names]);
    expect(code).toBe(1);
    expect(stderr).toContain("two models are named same");
  });

  it("are rejected at startup if one of them cannot be loaded", async () => {
    const daemon = await run([...common, ...main(), "--embedding-model", "missing.gguf"]);
    expect(daemon).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("embedding-model missing.gguf: no such file"),
    });
  });
});

describe("a model that generates text and embeddings", { timeout: SEVERAL_STARTS }, () => {
  it.runIf(platform() === "linux")(
    "generates text while the process of its embeddings restarts, for which embeddings wait",
    async () => {
      const flags = ["--embedding", "--pooling", "mean"];
      const daemon = await start([...common, ...main(), ...flags]);
      const { url } = daemon;
      const before = await embed(url, { model: "tiny" });
      expect(before).toMatchObject({ status: 200, body: { model: "tiny" } });
      const killed = childOf(daemon, /ggufd embedding/);
      process.kill(killed ?? Number.NaN, "SIGKILL");
      const answers = await Promise.all([chat(url), embed(url), health(url)]);
      expect(answers).toMatchObject([{ status: 200 }, before, { status: "ok" }]);
      expect(childOf(daemon, /ggufd embedding/)).not.toBe(killed);
      daemon.process.kill("SIGTERM");
      expect((await daemon.exited).code).toBe(0);
    },
  );
});

describe("an embedding model", { timeout: SEVERAL_STARTS }, () => {
  it.each([
    ["given as the main model", () => ["--model", tinyModel("f32", "embed-tiny")]],
    ["without a main model", () => ["--no-model", ...embedding()]],
  ])("%s serves embeddings and rejects chats", async (_, flags) => {
    const { url } = await start([...common, ...flags()]);
    expect(await health(url)).toEqual({ status: "ok" });
    expect(await embed(url)).toMatchObject({
      status: 200,
      body: { data: [{ embedding: expect.any(Array) }] },
    });
    expect(await chat(url)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining("makes embeddings") } },
    });
  });

  it("runs with --engine inline", async () => {
    const { url } = await start([...common, ...reranking(), "--no-model", "--engine", "inline"]);
    expect(await rerank(url)).toMatchObject({ status: 200 });
  });
});
