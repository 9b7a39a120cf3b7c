import { writeFileSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { tinyModel } from "../support/random-models.js";
import { childrenOf } from "./child-processes.js";
import { type Daemon, run, SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";

const NAMES = ["one", "two", "three"] as const;
type Name = (typeof NAMES)[number];

/**
 * A presets file of three models of the same size.
 * @param fields of all of them
 */
function presets(fields: object = {}): string {
  const path = join(temporaryFolder(), "models.yaml");
  const models = Object.fromEntries(NAMES.map((name) => [name, { model: tinyModel() }]));
  const defaults = { contextSize: 512, parallel: 2, gpu: "off", threads: 1, ...fields };
  writeFileSync(path, JSON.stringify({ defaults, models }));
  return path;
}

/** Gibibytes that two of them fit into, and three do not: what `ggufd plan` says of one. */
async function roomForTwo(): Promise<string> {
  const size = ["--context-size", "512", "--parallel", "2", "--gpu", "off", "--threads", "1"];
  const { stdout } = await run(["plan", "--json", ...size, "--model", tinyModel()]);
  const { main } = JSON.parse(stdout).models[0].plan;
  const parts = [main.weights, main.cache, main.buffers];
  const bytes = parts.reduce((sum: number, { cpuBytes }) => sum + cpuBytes, 0);
  return ((2.5 * bytes) / 2 ** 30).toFixed(3);
}

async function startTwoOfThree(fields: object = {}): Promise<Daemon> {
  return start(["--models-preset", presets(fields), "--memory-budget", await roomForTwo()]);
}

/** What is read of an answer that succeeded. */
interface Answer {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: { readonly completion_tokens: number };
}

async function ask({ url }: Daemon, model: string, fields: object = {}) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model,
      messages: [{ role: "user", content: "Hi" }],
      max_tokens: 8,
      ignore_eos: true,
      temperature: 0,
      ...fields,
    }),
  });
  return { status: response.status, body: (await response.json()) as Answer };
}

async function states({ url }: Daemon): Promise<Record<string, string>> {
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as {
    data: readonly { id: string; status: { value: string } }[];
  };
  return Object.fromEntries(data.map(({ id, status }) => [id, status.value]));
}

const textOf = ({ body }: Awaited<ReturnType<typeof ask>>) => body.choices[0]?.message.content;

describe("the models of a presets file", { timeout: SEVERAL_STARTS }, () => {
  it("are loaded when they are asked for, and make room for each other", async () => {
    const daemon = await startTwoOfThree();
    expect(daemon.output.stdout).toMatch(/on demand +one, two, three/);
    expect(await states(daemon)).toEqual({ one: "unloaded", two: "unloaded", three: "unloaded" });
    expect((await fetch(`${daemon.url}/health/ready`)).status).toBe(200);
    for (const name of NAMES) expect(await ask(daemon, name)).toMatchObject({ status: 200 });
    expect(await states(daemon)).toEqual({ one: "unloaded", two: "loaded", three: "loaded" });
    expect(await ask(daemon, "four")).toMatchObject({
      status: 404,
      body: { error: { code: "model_not_found" } },
    });
    if (platform() === "linux") {
      await eventually(() => expect(childrenOf(daemon)).toHaveLength(4));
    }
  });

  it("answer as they do alone, whatever others are asked for meanwhile", async () => {
    const daemon = await startTwoOfThree();
    const alone: Partial<Record<Name, string>> = {};
    for (const name of NAMES) alone[name] = textOf(await ask(daemon, name));
    const asked = Array.from({ length: 12 }, (_, index) => NAMES[index % 3] ?? "one");
    const answers = await Promise.all(asked.map((name) => ask(daemon, name)));
    expect(answers.map(({ status }) => status)).toEqual(asked.map(() => 200));
    expect(answers.map(textOf)).toEqual(asked.map((name) => alone[name]));
  });

  it("end the answers that have begun before they go", async () => {
    const daemon = await startTwoOfThree();
    const long = NAMES.slice(0, 2).map((name) => ask(daemon, name, { max_tokens: 200 }));
    await eventually(async () =>
      expect(await states(daemon)).toMatchObject({ one: "loaded", two: "loaded" }),
    );
    const other = ask(daemon, "three");
    const answers = await Promise.all([...long, other]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const tokens = answers.map(({ body }) => body.usage.completion_tokens);
    expect(tokens).toEqual([200, 200, 8]);
  });

  it("go when nobody has asked for them for so long", async () => {
    const daemon = await startTwoOfThree({ modelTtl: "100ms" });
    await ask(daemon, "one");
    await eventually(async () => expect(await states(daemon)).toMatchObject({ one: "unloaded" }));
    if (platform() === "linux") await eventually(() => expect(childrenOf(daemon)).toEqual([]));
  });

  it("are refused with the numbers if they can never fit", async () => {
    const daemon = await start(["--models-preset", presets(), "--memory-budget", "0.001"]);
    expect(await ask(daemon, "one")).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_request", message: expect.stringMatching(/MiB of main/) } },
    });
  });

  it("that are broken are told as unavailable, with the reason in the log, and hold up nobody", async () => {
    const folder = temporaryFolder();
    const broken = join(folder, "broken.gguf");
    writeFileSync(broken, "no model");
    const path = join(folder, "models.yaml");
    const models = { good: { model: tinyModel() }, broken: { model: broken } };
    writeFileSync(path, JSON.stringify({ defaults: { gpu: "off", threads: 1 }, models }));
    const daemon = await start(["--models-preset", path]);
    const refused = ask(daemon, "broken");
    expect(await ask(daemon, "good")).toMatchObject({ status: 200 });
    expect(await refused).toMatchObject({
      status: 503,
      body: {
        error: {
          code: "model_unavailable",
          message: "The model `broken` cannot be loaded; the server's log says why.",
        },
      },
    });
    expect(daemon.output.stderr).toContain(broken);
  });
});
