import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tinyModel } from "../support/random-models.js";
import { type Daemon, run, start, temporaryFolder } from "./daemon.js";

/** Names of models with the same sizes and different weights. */
export const NAMES = ["one", "two", "three"] as const;
export type ModelName = (typeof NAMES)[number];

const fileOf = (name: ModelName) => tinyModel("f32", "tiny", 1 + NAMES.indexOf(name));

/**
 * A presets file of three models of the same size.
 * @param fields of all of them
 */
export function presets(fields: object = {}): string {
  const path = join(temporaryFolder(), "models.yaml");
  const models = Object.fromEntries(NAMES.map((name) => [name, { model: fileOf(name) }]));
  // With f32 an answer does not depend on the rest of the batch.
  const size = { contextSize: 512, parallel: 2, kvCacheType: "f32" };
  const defaults = { ...size, gpu: "off", threads: 1, ...fields };
  writeFileSync(path, JSON.stringify({ defaults, models }));
  return path;
}

/**
 * Flags of a daemon that fits two of the models, but not three.
 * @param fields of all models, which must not increase their memory
 */
export async function twoOfThree(fields: object = {}): Promise<readonly string[]> {
  room ??= planRoom();
  return ["--models-preset", presets(fields), "--memory-budget", await room];
}

/** Gibibytes that fit two models, but not three; computed once for all tests of a worker. */
let room: Promise<string> | undefined;

/** @returns {@link room}, from the plan of one model */
async function planRoom(): Promise<string> {
  const size = ["--context-size", "512", "--parallel", "2", "--kv-cache-type", "f32"];
  const args = ["plan", "--json", ...size, "--gpu", "off", "--model", fileOf("one")];
  const { stdout } = await run(args);
  const { main } = JSON.parse(stdout).models[0].plan;
  const parts = [main.weights, main.cache, main.buffers];
  const bytes = parts.reduce((sum: number, { cpuBytes }) => sum + cpuBytes, 0);
  return ((2.5 * bytes) / 2 ** 30).toFixed(3);
}

export async function startTwoOfThree(fields: object = {}): Promise<Daemon> {
  return start(await twoOfThree(fields));
}

/** Fields that are read from a successful answer. */
interface Answer {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: { readonly completion_tokens: number };
}

/** Greedily, for eight tokens, unless the fields say otherwise. */
export async function ask({ url }: Pick<Daemon, "url">, model: string, fields: object = {}) {
  const response = await request(url, model, fields);
  const { status, headers } = response;
  return {
    status,
    retryAfter: headers.get("retry-after"),
    body: (await response.json()) as Answer,
  };
}

export function request(url: string, model: string, fields: object): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
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
}

export const textOf = ({ body }: Awaited<ReturnType<typeof ask>>) =>
  body.choices[0]?.message.content;

/** Models' states in `GET /v1/models`. */
export async function states({ url }: Daemon): Promise<Record<string, string>> {
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as {
    data: readonly { id: string; status: { value: string } }[];
  };
  return Object.fromEntries(data.map(({ id, status }) => [id, status.value]));
}
