import { Ollama, type ProgressResponse } from "ollama";
import { pino } from "pino";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import { eventually } from "../../support/eventually.js";
import { runApp } from "../../support/running-app.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { type ScriptedPull, STORED, storedModel } from "../../support/scripted-library.js";
import { ALIAS } from "../../support/test-app.js";

const errors: string[] = [];
const { url, library, close } = await runApp(new ScriptedEngine(() => ({ parts: ["ok"] })), {
  logger: pino({ level: "error" }, { write: (line) => void errors.push(line) }),
});
afterAll(close);
const ollama = new Ollama({ host: url });

beforeEach(() => {
  errors.length = 0;
  library.calls.length = 0;
  library.scriptedPulls.length = 0;
});

function begunPull(): Promise<ScriptedPull> {
  return eventually(() => {
    const [pull] = library.scriptedPulls;
    if (pull === undefined) throw new Error("no pull has begun");
    return pull;
  });
}

const weights = { path: "a.gguf", role: "model", sizeBytes: 100, sha256: "a".repeat(64) } as const;

/** Starts a pull and returns the client's stream once the source has responded. */
async function streamedPull() {
  const asked = ollama.pull({ model: "llama3.2", stream: true });
  const pull = await begunPull();
  pull.emit({ type: "resolved", name: pull.name, files: [weights] });
  return { pull, stream: await asked };
}

describe("the ollama SDK", () => {
  it("pulls a model with progress events", async () => {
    const { pull, stream } = await streamedPull();
    const parts: ProgressResponse[] = [];
    for await (const part of stream) {
      parts.push(part);
      if (part.completed === 0) {
        pull.emit({ type: "progress", path: "a.gguf", completedBytes: 60, totalBytes: 100 });
      }
      if (part.completed === 60) pull.finish(storedModel("llama3.2:latest"));
    }
    const layer = {
      status: "pulling aaaaaaaaaaaa",
      digest: `sha256:${"a".repeat(64)}`,
      total: 100,
    };
    expect(parts).toEqual([
      { status: "pulling manifest" },
      { ...layer, completed: 0 },
      { ...layer, completed: 60 },
      { status: "verifying sha256 digest" },
      { status: "writing manifest" },
      { status: "success" },
    ]);
    expect((await ollama.list()).models.map(({ name }) => name)).toContain("llama3.2:latest");
  });

  it("pulls a model without streaming", async () => {
    const asked = ollama.pull({ model: "hf.co/user/repo:Q8_0" });
    const pull = await begunPull();
    expect(pull.name).toBe("hf:user/repo:Q8_0");
    pull.finish(storedModel("user/repo:Q8_0"));
    expect(await asked).toEqual({ status: "success" });
  });

  it("receives the error of a failed pull, before and after it starts", async () => {
    const unknown = ollama.pull({ model: "llama3:7t", stream: true });
    (await begunPull()).fail(new GgufdError("model_not_found", "There is none."));
    await expect(unknown).rejects.toMatchObject({ status_code: 404, message: "There is none." });
    library.scriptedPulls.length = 0;
    const { pull, stream } = await streamedPull();
    pull.fail(new GgufdError("storage_full", "The disk is full."));
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toThrow("The disk is full.");
    await expect(ollama.pull({ model: "/etc/passwd" })).rejects.toMatchObject({ status_code: 400 });
  });

  it("cancels a pull by disconnecting", async () => {
    const { pull, stream } = await streamedPull();
    const read = async () => {
      for await (const _ of stream) stream.abort();
    };
    await expect(read()).rejects.toThrow(/abort/i);
    await expect(pull.ended).rejects.toThrow(/abort/i);
  });

  it("may disconnect before the first response byte without a server error being logged", async () => {
    for (const stream of [true, false]) {
      const controller = new AbortController();
      library.scriptedPulls.length = 0;
      const body = JSON.stringify({ model: "llama3.2", stream });
      const request = { method: "POST", body, signal: controller.signal };
      const asked = fetch(`${url}/api/pull`, request);
      const pull = await begunPull();
      controller.abort();
      await expect(asked).rejects.toThrow(/abort/i);
      await expect(pull.ended).rejects.toThrow(/abort/i);
    }
    await ollama.list();
    expect(errors).toEqual([]);
  });

  it("lists and shows unloaded models", async () => {
    const texts = {
      system: "Be kind.",
      template: undefined,
      parameters: { stop: ["<|end|>"] },
      licenses: ["MIT"],
    };
    library.add(storedModel("user/shown:Q8_0"), texts);
    const { models } = await ollama.list();
    expect(models.find(({ model }) => model === "user/shown:Q8_0")).toMatchObject({
      size: STORED.sizeBytes,
      digest: STORED.sha256,
      details: { family: "llama", quantization_level: "Q8_0" },
    });
    expect((await ollama.ps()).models.map(({ model }) => model)).toEqual([`${ALIAS}:latest`]);
    expect(await ollama.show({ model: "user/shown:Q8_0" })).toMatchObject({
      system: "Be kind.",
      parameters: 'stop "<|end|>"',
      license: "MIT",
      capabilities: ["completion", "tools"],
    });
  });

  it("copies, creates and removes models", async () => {
    expect(await ollama.copy({ source: ALIAS, destination: "copied" })).toEqual({
      status: "success",
    });
    const parts: ProgressResponse[] = [];
    const creation = {
      model: "made",
      from: "copied",
      system: "Be brief.",
      parameters: { temperature: 0 },
    };
    for await (const part of await ollama.create({ ...creation, stream: true })) parts.push(part);
    expect(parts.map(({ status }) => status)).toEqual([
      `using existing layer sha256:${STORED.sha256}`,
      "writing manifest",
      "success",
    ]);
    expect((await ollama.show({ model: "made" })).system).toBe("Be brief.");
    expect(await ollama.create(creation)).toEqual({ status: "success" });
    expect(await ollama.delete({ model: "made" })).toEqual({ status: "success" });
    await expect(ollama.delete({ model: "made" })).rejects.toMatchObject({ status_code: 404 });
    await expect(ollama.show({ model: "made" })).rejects.toMatchObject({ status_code: 404 });
    await expect(ollama.create({ ...creation, template: "{{ .Prompt }}" })).rejects.toMatchObject({
      status_code: 400,
      message: expect.stringContaining("template: expected nothing"),
    });
  });

  it("loads a model, reports its expiry time and unloads it", async () => {
    const load = await ollama.generate({ model: ALIAS, prompt: "", keep_alive: "10m" });
    expect(load).toMatchObject({ done: true, done_reason: "load" });
    await ollama.generate({ model: ALIAS, prompt: "hello", keep_alive: -1 });
    for await (const part of await ollama.chat({ model: ALIAS, keep_alive: 0, stream: true })) {
      expect(part).toMatchObject({ done: true, done_reason: "unload" });
    }
    expect(library.calls).toEqual([
      { call: "keep-alive", name: ALIAS, time: 600_000 },
      { call: "keep-alive", name: ALIAS, time: "forever" },
      { call: "unload", name: ALIAS },
    ]);
  });
});
