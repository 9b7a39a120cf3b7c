import { mkdirSync } from "node:fs";
import { platform } from "node:os";
import { basename, dirname, join } from "node:path";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { tinyLora, tinyModel } from "../support/random-models.js";
import { childrenWith } from "./child-processes.js";
import { type Daemon, start, temporaryFolder } from "./daemon.js";

/** Four engines on two cores take four times as long as one. */
const FOUR_ENGINES_MS = 300_000;
const REPLICAS = 4;

const flags = (model: string) => [
  ...["--gpu", "off", "--threads", "1", "--model", model, "--alias", "tiny"],
  ...["--replicas", `${REPLICAS}`, "--parallel", "2", "--context-size", "1024"],
  // Evaluates resumed answers with the arithmetic of their first evaluation.
  ...["--kv-cache-layout", "split", "--flash-attn", "off"],
];

interface Replica {
  readonly status: string;
  readonly n_requests: number;
}

/** Waits until all replicas are running. */
async function serve(model: string, ...args: string[]): Promise<Daemon> {
  const daemon = await start([...flags(model), ...args]);
  await allRunning(daemon);
  return daemon;
}

async function replicasOf({ url }: Daemon): Promise<readonly Replica[]> {
  const { replicas } = (await (await fetch(`${url}/props`)).json()) as { replicas: Replica[] };
  return replicas;
}

const allRunning = (daemon: Daemon) =>
  eventually(async () => {
    const states = (await replicasOf(daemon)).map(({ status }) => status);
    expect(states).toEqual(Array.from({ length: REPLICAS }, () => "running"));
  });

/** Kills an engine, and waits until all replicas have one again. */
async function killEngine(daemon: Daemon, victim: number): Promise<void> {
  process.kill(victim, "SIGKILL");
  await eventually(() => {
    const engines = enginesOf(daemon);
    expect(engines).not.toContain(victim);
    expect(engines).toHaveLength(REPLICAS);
  });
  await allRunning(daemon);
}

const enginesOf = (daemon: Daemon) => childrenWith(daemon, /ggufd engine/);

const clientOf = ({ url }: Daemon) => new OpenAI({ baseURL: `${url}/v1`, apiKey: "none" });

/** Questions of clients, which have no beginning in common. */
const bodies = Array.from({ length: 8 }, (_, index) => ({
  model: "tiny",
  prompt: `${index} friends go to the city, and one of them says: `.repeat(1 + (index % 3)),
  max_tokens: 48,
  ...(index % 2 === 0 ? { temperature: 0 } : { temperature: 1, seed: index }),
}));
type Body = (typeof bodies)[number];

/** The text of an answer, streamed or as a whole. */
async function textOf(client: OpenAI, body: Body, streamed: boolean): Promise<string> {
  // Answers of a fixed length, as an extension of OpenAI's interface.
  const endless = { ...body, ignore_eos: true };
  if (!streamed) return (await client.completions.create(endless)).choices[0]?.text ?? "";
  let text = "";
  for await (const chunk of await client.completions.create({ ...endless, stream: true })) {
    text += chunk.choices[0]?.text ?? "";
  }
  return text;
}

describe.runIf(platform() === "linux")("replicas of a model", { timeout: FOUR_ENGINES_MS }, () => {
  it("answer 32 clients as usual while one after the other is killed", async () => {
    // In f32, logits do not depend on the other answers of a step.
    const daemon = await serve(tinyModel());
    const client = clientOf(daemon);
    const expected: string[] = [];
    for (const body of bodies) expected.push(await textOf(client, body, false));
    let isKilling = true;
    const wrong: string[] = [];
    let answers = 0;
    const ask = async (number: number) => {
      for (let turn = 0; isKilling || turn < 2; turn++) {
        const index = (number + turn) % bodies.length;
        const body = bodies[index];
        if (body === undefined) throw new Error(`there is no question ${index}`);
        const text = await textOf(client, body, number % 2 === 0);
        answers++;
        if (text !== expected[index]) wrong.push(`${index}: ${text}`);
      }
    };
    const clients = Array.from({ length: 32 }, (_, number) => ask(number));
    const killed: number[] = [];
    for (let replica = 0; replica < REPLICAS; replica++) {
      await eventually(async () => {
        const busy = await replicasOf(daemon);
        expect(busy.every(({ n_requests }) => n_requests > 0)).toBe(true);
      });
      const victim = enginesOf(daemon).find((pid) => !killed.includes(pid));
      if (victim === undefined) throw new Error("there is no engine left to kill");
      killed.push(victim);
      const killing = killEngine(daemon, victim);
      expect((await fetch(`${daemon.url}/health/ready`)).status).toBe(200);
      await killing;
    }
    isKilling = false;
    await Promise.all(clients);
    expect(wrong).toEqual([]);
    expect(answers).toBeGreaterThanOrEqual(64);
  });

  it("save, restore and erase slots under consecutive numbers", async () => {
    const folder = join(temporaryFolder(), "slots");
    mkdirSync(folder);
    const daemon = await serve(tinyModel(), "--slot-save-path", folder);
    const { url } = daemon;
    const post = async (path: string, body: object = {}) => {
      const response = await fetch(`${url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: await response.json() };
    };
    const complete = (slot: number) =>
      post("/completion", { prompt: "One two three four", n_predict: 1, id_slot: slot });
    expect(await complete(5)).toMatchObject({ status: 200, body: { id_slot: 5 } });
    const saved = await post("/slots/5?action=save", { filename: "five.bin" });
    expect(saved).toMatchObject({ status: 200, body: { id_slot: 5 } });
    const restored = await post("/slots/2?action=restore", { filename: "five.bin" });
    expect(restored).toMatchObject({ status: 200, body: { id_slot: 2 } });
    const listed = (await (await fetch(`${url}/slots`)).json()) as {
      id: number;
      replica: number;
      n_held: number;
    }[];
    expect(listed.map(({ id, replica }) => [id, replica])).toEqual(
      Array.from({ length: 8 }, (_, id) => [id, Math.floor(id / 2)]),
    );
    expect(listed[2]?.n_held).toBe(listed[5]?.n_held);
    expect(await complete(2)).toMatchObject({
      body: { id_slot: 2, tokens_cached: expect.any(Number) },
    });
    expect(await post("/slots/5?action=erase")).toMatchObject({ status: 200 });
    expect(await post("/slots/8?action=erase")).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining("expected a slot from 0 to 7, got 8") } },
    });
  });

  it("all have an adapter that a client loads, also after a restart", async () => {
    const lora = tinyLora(2);
    const daemon = await serve(tinyModel(), "--allow-runtime-lora", dirname(lora));
    const { url } = daemon;
    const load = await fetch(`${url}/v1/load_lora_adapter`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ lora_name: "poet", lora_path: basename(lora) }),
    });
    expect(load.status).toBe(200);
    const [victim] = enginesOf(daemon);
    if (victim === undefined) throw new Error("the daemon has no engine");
    await killEngine(daemon, victim);
    const answerOf = async (slot: number, model: string) => {
      const response = await fetch(`${url}/completion`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model, prompt: "Hi", n_predict: 8, temperature: 0, id_slot: slot }),
      });
      return ((await response.json()) as { content: string }).content;
    };
    const answers = [];
    for (const slot of [0, 2, 4, 6]) answers.push(await answerOf(slot, "poet"));
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).not.toBe(await answerOf(0, "tiny"));
  });
});
