import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { putInOllama } from "../support/model-sources/other-programs.js";
import { tinyLora, tinyModel } from "../support/random-models.js";
import { attempt, type Daemon, SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";
import { engineOf } from "./engine-of.js";

const SIZE = ["--context-size", "512", "--parallel", "4", "--gpu", "off", "--threads", "1"];
const PREFIX = "A prefix that all of them share, which is long enough to be worth keeping. ".repeat(
  3,
);

interface Answer {
  readonly model: string;
  readonly choices: readonly { readonly text: string }[];
  readonly error?: { readonly code: string; readonly message: string };
}

async function post({ url }: Daemon, path: string, body: unknown) {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text };
}

async function ask(daemon: Daemon, fields: object = {}) {
  const { status, text } = await post(daemon, "/v1/completions", {
    ...{ prompt: PREFIX, max_tokens: 12, ignore_eos: true, temperature: 0 },
    ...fields,
  });
  const answer = JSON.parse(text) as Answer;
  return { status, model: answer.model, text: answer.choices?.[0]?.text, error: answer.error };
}

describe("LoRA adapters", { timeout: SEVERAL_STARTS }, () => {
  it("are selected by name and by id, set as the default, loaded and unloaded", async () => {
    const folder = temporaryFolder();
    copyFileSync(tinyLora(5), join(folder, "late.gguf"));
    copyFileSync(tinyModel(), join(folder, "model.gguf"));
    writeFileSync(join(folder, "broken.gguf"), "GGUF, but not quite");
    const notFinite = readFileSync(tinyLora(5));
    notFinite.writeFloatLE(Number.NaN, notFinite.length - 4);
    writeFileSync(join(folder, "not-finite.gguf"), notFinite);
    const daemon = await start([
      ...["--model", tinyModel(), "--alias", "tiny", ...SIZE],
      ...["--lora", `a=${tinyLora(2)}`, "--lora", `b=${tinyLora(3, 16)}`],
      ...["--allow-runtime-lora", folder],
    ]);
    const byId = (id: number, scale = 1) => ({ lora: [{ id, scale }] });

    const plain = await ask(daemon);
    const a = await ask(daemon, { model: "a" });
    const b = await ask(daemon, { model: "b" });
    expect([plain.model, a.model, b.model]).toEqual(["tiny", "a", "b"]);
    expect(new Set([plain.text, a.text, b.text]).size).toBe(3);
    expect((await ask(daemon, byId(0))).text).toBe(a.text);
    expect((await ask(daemon, byId(1))).text).toBe(b.text);
    expect((await ask(daemon, byId(1, 0))).text).toBe(plain.text);

    const setDefault = (choices: object) => post(daemon, "/lora-adapters", choices);
    expect((await setDefault([{ id: 1, scale: 1 }])).status).toBe(200);
    expect((await ask(daemon)).text).toBe(b.text);
    expect((await ask(daemon, { model: "a" })).text).toBe(a.text);
    expect((await setDefault([])).status).toBe(200);
    expect((await ask(daemon)).text).toBe(plain.text);

    const load = (path: string) =>
      post(daemon, "/v1/load_lora_adapter", { lora_name: "late", lora_path: path });
    for (const [path, reason] of [
      ["broken.gguf", "not a valid GGUF file"],
      ["model.gguf", "expected a LoRA adapter, got"],
      ["not-finite.gguf", "expected finite weights, got NaN or an infinity"],
    ] as const) {
      const { status, text } = await load(path);
      expect(status).toBe(400);
      expect(text).toContain(`lora_path ${path}: `);
      expect(text).toContain(reason);
      expect(text).not.toContain(folder);
    }
    expect(await load("late.gguf")).toMatchObject({ status: 200 });
    const late = await ask(daemon, { model: "late" });
    expect([plain.text, a.text, b.text]).not.toContain(late.text);
    expect((await ask(daemon, byId(2))).text).toBe(late.text);
    const unload = await post(daemon, "/v1/unload_lora_adapter", { lora_name: "late" });
    expect(unload.status).toBe(200);
    expect(await ask(daemon, { model: "late" })).toMatchObject({ status: 404 });
    expect((await ask(daemon)).text).toBe(plain.text);
  });

  it("give the same answers to prompts with a common prefix as without reuse", async () => {
    const lora = ["--lora", `a=${tinyLora(2)}`, "--lora", `b=${tinyLora(3, 16)}`];
    const serving = ["--model", tinyModel(), "--alias", "tiny", ...SIZE, ...lora];
    const asked = ["one", "two"].flatMap((end) =>
      ["tiny", "a", "b"].map((model) => ({ model, prompt: `${PREFIX}${end}` })),
    );
    const alone: (string | undefined)[] = [];
    const quiet = await start(serving);
    for (const fields of asked) {
      alone.push((await ask(quiet, { ...fields, cache_prompt: false })).text);
    }
    const busy = await start(serving);
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(asked.map((fields) => ask(busy, fields)));
      expect(answers.map(({ text }) => text)).toEqual(alone);
    }
  });

  it("of an Ollama model always apply", async () => {
    const lora = tinyLora(2);
    const ollama = temporaryFolder();
    await putInOllama(ollama, "registry.ollama.ai/library/tiny/latest", [
      ["model", readFileSync(tinyModel())],
      ["adapter", readFileSync(lora)],
    ]);
    const plain = await start(["--model", tinyModel(), "--lora", `a=${lora}`, ...SIZE]);
    const expected = (await ask(plain, { model: "a" })).text;
    const env = { OLLAMA_MODELS: ollama };
    const named = await start(["--model", "ollama:tiny", "--alias", "tiny", ...SIZE], env);
    expect((await ask(named)).text).toBe(expected);
    const stored = await start(["--no-model", "--stored-models", "serve", ...SIZE], env);
    expect((await ask(stored, { model: "tiny:latest" })).text).toBe(expected);
    const { data } = (await (await fetch(`${stored.url}/v1/models`)).json()) as {
      data: readonly { id: string; parent?: string }[];
    };
    expect(data.flatMap(({ id, parent }) => (parent === undefined ? [] : [[id, parent]]))).toEqual([
      ["tiny:latest-adapter-1", "tiny:latest"],
    ]);
  });

  it("are skipped individually if their files are missing when an engine restarts", async () => {
    const folder = temporaryFolder();
    const gone = join(folder, "gone.gguf");
    copyFileSync(tinyLora(5), gone);
    copyFileSync(tinyLora(6), join(folder, "there.gguf"));
    const daemon = await start([
      ...["--model", tinyModel(), "--alias", "tiny", ...SIZE, "--allow-runtime-lora", folder],
    ]);
    for (const name of ["gone", "there"]) {
      const adapter = { lora_name: name, lora_path: `${name}.gguf` };
      expect(await post(daemon, "/v1/load_lora_adapter", adapter)).toMatchObject({ status: 200 });
    }
    const there = await ask(daemon, { model: "there" });
    rmSync(gone);
    process.kill(engineOf(daemon), "SIGKILL");
    await eventually(async () => expect((await ask(daemon, { model: "gone" })).status).toBe(404));
    expect(await ask(daemon, { model: "there" })).toEqual(there);
    expect((await ask(daemon)).status).toBe(200);
    expect(daemon.output.stderr).toContain(
      `the adapter gone is skipped: lora ${gone}: no such file`,
    );
  });

  it("require a name that no model has", async () => {
    const args = ["--model", tinyModel(), "--alias", "tiny", "--lora", `tiny=${tinyLora(2)}`];
    expect(await attempt([...args, ...SIZE])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "expected a unique name, got that of a model or another adapter: tiny",
      ),
    });
  });
});
