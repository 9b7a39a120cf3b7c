import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Random } from "../../models/random/random-choices.js";
import { tinyLora, tinyModel } from "../support/random-models.js";
import { type Daemon, SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";

const CLIENTS = 8;
/** Number of rounds; each loads and unloads both adapters. */
const ROUNDS = 40;
/** `fixed` stays loaded; the others are loaded and unloaded. */
const NAMES = ["tiny", "fixed", "first", "second"] as const;
const PROMPTS = ["A prefix that both share, and one", "A prefix that both share, and two"];

interface Outcome {
  readonly status: number;
  readonly text: string;
}

async function post({ url }: Daemon, path: string, body: object): Promise<Outcome> {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

async function ask(daemon: Daemon, model: string, prompt: string): Promise<Outcome> {
  const fields = { model, prompt, max_tokens: 12, ignore_eos: true, temperature: 0 };
  const { status, text } = await post(daemon, "/v1/completions", fields);
  return { status, text: status === 200 ? JSON.parse(text).choices[0].text : text };
}

it("loading and unloading adapters under load changes no answer and causes only 404 errors", {
  timeout: SEVERAL_STARTS,
}, async () => {
  const folder = temporaryFolder();
  for (const [index, name] of ["first", "second"].entries()) {
    copyFileSync(tinyLora(5 + index), join(folder, `${name}.gguf`));
  }
  const daemon = await start([
    ...["--model", tinyModel(), "--alias", "tiny", "--lora", `fixed=${tinyLora(2)}`],
    ...["--context-size", "512", "--parallel", "4", "--gpu", "off", "--threads", "1"],
    ...["--allow-runtime-lora", folder],
  ]);
  const load = (name: string) =>
    post(daemon, "/v1/load_lora_adapter", { lora_name: name, lora_path: `${name}.gguf` });
  const unload = (name: string) => post(daemon, "/v1/unload_lora_adapter", { lora_name: name });

  for (const name of ["first", "second"]) expect((await load(name)).status).toBe(200);
  const alone = new Map<string, Outcome>();
  for (const name of NAMES) {
    for (const prompt of PROMPTS) alone.set(`${name} ${prompt}`, await ask(daemon, name, prompt));
  }
  const answers = [...alone.values()];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(answers.length);
  for (const name of ["first", "second"]) expect((await unload(name)).status).toBe(200);

  let areChanging = true;
  const counts = { right: 0, absent: 0 };
  const client = async (number: number) => {
    const random = new Random(number);
    while (areChanging) {
      const [name, prompt] = [random.pick(NAMES), random.pick(PROMPTS)];
      const outcome = await ask(daemon, name, prompt);
      if (outcome.status === 404 && (name === "first" || name === "second")) counts.absent++;
      else {
        expect(outcome, `${name}: ${prompt}`).toEqual(alone.get(`${name} ${prompt}`));
        counts.right++;
      }
    }
  };
  const change = async () => {
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const statuses = [];
        for (const turn of [load, unload]) {
          for (const name of ["first", "second"]) statuses.push((await turn(name)).status);
        }
        expect(statuses).toEqual([200, 200, 200, 200]);
      }
    } finally {
      areChanging = false;
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
  await Promise.all([change(), ...clients]);
  expect(counts).toEqual({ right: expect.any(Number), absent: expect.any(Number) });
  expect(Math.min(counts.right, counts.absent)).toBeGreaterThan(0);
});
