import { describe, expect, it, onTestFinished } from "vitest";
import { RandomStream } from "../../models/random/random-stream.js";
import type { AdapterChoice, AdapterSpec } from "../../src/core/adapters.js";
import { openEngine } from "../support/generate.js";
import { generatedTokens } from "../support/generated-tokens.js";
import { llamaServerPath, startLlamaServer } from "../support/llama-server.js";
import { tinyLora, tinyModel } from "../support/random-models.js";

const INVOCATION = [300, 301, 302];

/** Rounded keys and values would differ by how a batch is divided. */
const alike = {
  slots: 1,
  contextSize: 512,
  kvCacheTypes: { keys: "f32", values: "f32" },
} as const;

/** Each adapter by its name, in the order of their ids in llama-server. */
const NAMES = ["small", "large", "activated"] as const;

const sets: readonly (readonly AdapterChoice[])[] = [
  ...[0, 0.5, 1, -1].flatMap((scale) => [[{ name: "small", scale }], [{ name: "large", scale }]]),
  [
    { name: "small", scale: 0.5 },
    { name: "large", scale: -1 },
  ],
  [
    { name: "small", scale: 1 },
    { name: "large", scale: 1 },
  ],
  [{ name: "activated", scale: 1 }],
  [{ name: "activated", scale: 0.5 }],
];

const random = new RandomStream(1);
const randomTokens = (count: number) =>
  Array.from({ length: count }, () => 10 + ((random.int32() >>> 0) % 250));
const prompts = [
  randomTokens(5),
  randomTokens(60),
  [...randomTokens(20), ...INVOCATION, ...randomTokens(9)],
  [...randomTokens(7), ...INVOCATION, ...randomTokens(30), ...INVOCATION, ...randomTokens(2)],
  [...randomTokens(40), ...INVOCATION],
];

async function theirTokens(
  url: string,
  prompt: readonly number[],
  chosen: readonly AdapterChoice[],
): Promise<unknown> {
  const scaleOf = (name: string) => chosen.find((one) => one.name === name)?.scale ?? 0;
  const response = await fetch(`${url}/completion`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      ...{ prompt, n_predict: 24, temperature: 0, ignore_eos: true },
      ...{ cache_prompt: false, return_tokens: true },
      lora: NAMES.map((name, id) => ({ id, scale: scaleOf(name) })),
    }),
  });
  const answer = (await response.json()) as { readonly tokens?: unknown };
  return answer.tokens ?? answer;
}

describe.runIf(llamaServerPath !== undefined)("beside llama-server", { timeout: 120_000 }, () => {
  it.each(["tiny", "cohere2-tiny"] as const)(
    "the same adapters give the same tokens: %s",
    async (shape) => {
      const model = tinyModel("f32", shape);
      const paths = [tinyLora(2, 4, shape), tinyLora(3, 16, shape)];
      const activated = tinyLora(4, 4, shape, INVOCATION);
      // llama-server begins to apply it one token before the invocation: told the rest of it, it begins with its first.
      const theirs = [...paths, tinyLora(4, 4, shape, INVOCATION.slice(1))];
      const adapters = [...paths, activated].map(
        (path, index): AdapterSpec => ({
          ...{ name: NAMES[index] ?? "", path, scale: 1, use: "when-asked" },
        }),
      );
      const engine = await openEngine(model, { ...alike, adapters });
      onTestFinished(() => engine.close());
      const loras = theirs.flatMap((path) => ["--lora", path]);
      const server = await startLlamaServer([
        ...["-m", model, ...loras, "--lora-init-without-apply"],
        ...["-ctk", "f32", "-ctv", "f32"],
      ]);
      onTestFinished(server.stop);
      const answers = new Set<string>();
      for (const prompt of prompts) {
        for (const chosen of sets) {
          const expected = await theirTokens(server.url, prompt, chosen);
          const actual = await generatedTokens(engine, prompt, chosen);
          expect(actual, JSON.stringify({ prompt, chosen })).toEqual(expected);
          answers.add(actual.join());
        }
      }
      expect(answers.size).toBeGreaterThan(30);
    },
  );
});
