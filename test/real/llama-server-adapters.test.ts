import { describe, expect, it, onTestFinished } from "vitest";
import { RandomStream } from "../../models/random/random-stream.js";
import type { AdapterChoice, AdapterSpec } from "../../src/core/adapters.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { openEngine } from "../support/generate.js";
import { generatedTokens } from "../support/generated-tokens.js";
import { llamaServerPath, startLlamaServer } from "../support/llama-server.js";
import { tinyLora, tinyModel } from "../support/random-models.js";
import { runApp } from "../support/running-app.js";

const INVOCATION = [300, 301, 302];

/** Rounded keys and values would depend on how a prompt is divided into batches. */
const alike = {
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

interface Asked {
  readonly prompt: readonly number[];
  readonly chosen: readonly AdapterChoice[];
  /** GBNF. */
  readonly grammar?: string;
}

function bodyOf({ prompt, chosen, grammar }: Asked) {
  const scaleOf = (name: string) => chosen.find((one) => one.name === name)?.scale ?? 0;
  return {
    ...{ prompt, n_predict: 24, temperature: 0, ignore_eos: true },
    lora: NAMES.map((name, id) => ({ id, scale: scaleOf(name) })),
    ...(grammar !== undefined && { grammar }),
  };
}

const post = (url: string, body: object) =>
  fetch(`${url}/completion`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

async function theirAnswer(url: string, asked: Asked) {
  const body = { ...bodyOf(asked), cache_prompt: false, return_tokens: true };
  const answer = await (await post(url, body)).json();
  return answer as { readonly tokens?: readonly number[]; readonly content?: string };
}

/** The tokens of a stream. */
async function streamed(url: string, asked: Asked): Promise<readonly number[]> {
  const response = await post(url, { ...bodyOf(asked), stream: true, return_tokens: true });
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
  const chunks = lines.map((line) => JSON.parse(line.slice("data: ".length)));
  return chunks.flatMap(({ tokens = [] }: { tokens?: readonly number[] }) => tokens);
}

/** llama-server's scores of the alternative tokens. */
interface Scored {
  readonly completion_probabilities: readonly {
    readonly top_logprobs: readonly { readonly id: number; readonly logprob: number }[];
  }[];
}

/** Effect of the division of a prompt on flash attention's log-probabilities, with a margin. */
const TIE = 0.01;

/**
 * Expects an answer to equal llama-server's up to a tie, because concurrent batches are divided
 * differently.
 * @returns whether the whole answer is equal
 */
async function expectTheirs(
  url: string,
  asked: Asked,
  [actual, expected]: readonly [readonly number[], readonly number[]],
): Promise<boolean> {
  const at = expected.findIndex((token, index) => token !== actual[index]);
  expect(actual).toHaveLength(expected.length);
  if (at < 0) return true;
  const prompt = [...asked.prompt, ...expected.slice(0, at)];
  const body = { ...bodyOf({ ...asked, prompt }), n_predict: 1, n_probs: 512, cache_prompt: false };
  const scored = (await (await post(url, body)).json()) as Scored;
  const all = scored.completion_probabilities[0]?.top_logprobs ?? [];
  const [theirs, ours] = [expected[at], actual[at]].map(
    (token) => all.find(({ id }) => id === token)?.logprob ?? Number.NaN,
  );
  expect(
    Math.abs((theirs ?? 0) - (ours ?? 0)),
    `${JSON.stringify(asked)}, token ${at}`,
  ).toBeLessThan(TIE);
  return false;
}

/** An engine of ours and their server, with the same adapters of a random model. */
async function bothWith(shape: Shape, settings: Partial<EngineSettings>) {
  const model = tinyModel("f32", shape);
  const paths = [tinyLora(2, 4, shape), tinyLora(3, 16, shape)];
  const activated = tinyLora(4, 4, shape, INVOCATION);
  // llama-server applies it one token before the invocation: given all but the first token, it
  // starts with the first one.
  const theirs = [...paths, tinyLora(4, 4, shape, INVOCATION.slice(1))];
  const adapters = [...paths, activated].map(
    (path, index): AdapterSpec => ({
      ...{ name: NAMES[index] ?? "", path, scale: 1, use: "when-asked" },
    }),
  );
  const engine = await openEngine(model, { ...alike, ...settings, adapters });
  const loras = theirs.flatMap((path) => ["--lora", path]);
  const server = await startLlamaServer([
    ...["-m", model, ...loras, "--lora-init-without-apply"],
    ...["-ctk", "f32", "-ctv", "f32"],
  ]);
  onTestFinished(server.stop);
  return { engine, server };
}

/** Two architectures, the second one with sliding-window attention. */
const SHAPES = ["tiny", "cohere2-tiny"] as const;
type Shape = (typeof SHAPES)[number];

const WORDS = "root ::= [a-z ]+";

describe.runIf(llamaServerPath !== undefined)(
  "compared with llama-server",
  { timeout: 120_000 },
  () => {
    it.each(SHAPES)("the same adapters give the same tokens: %s", async (shape) => {
      const { engine, server } = await bothWith(shape, { slots: 1 });
      onTestFinished(() => engine.close());
      const answers = new Set<string>();
      for (const prompt of prompts) {
        for (const chosen of sets) {
          const { tokens } = await theirAnswer(server.url, { prompt, chosen });
          const actual = await generatedTokens(engine, prompt, chosen);
          expect(actual, JSON.stringify({ prompt, chosen })).toEqual(tokens);
          answers.add(actual.join());
        }
      }
      expect(answers.size).toBeGreaterThan(30);
    });

    it.each(SHAPES)(
      "four concurrent adapter sets with a shared prefix, constraints, drafts and streams give the same tokens: %s",
      async (shape) => {
        const { engine, server } = await bothWith(shape, { slots: 8 });
        const { url, close } = await runApp(engine);
        onTestFinished(close);
        const prefix = [...randomTokens(60), ...INVOCATION];
        const endings = [randomTokens(7), randomTokens(11)];
        const four = [[], ...[2, 7, 10].map((index) => sets[index] ?? [])];
        const asked = endings.flatMap((ending) =>
          four.map((chosen) => ({ prompt: [...prefix, ...ending], chosen })),
        );
        for (const grammar of [undefined, WORDS]) {
          const theirs: Awaited<ReturnType<typeof theirAnswer>>[] = [];
          const all = asked.map((one) => (grammar === undefined ? one : { ...one, grammar }));
          for (const one of all) theirs.push(await theirAnswer(server.url, one));
          const expected = theirs.map(({ tokens = [] }) => tokens);
          expect(new Set(expected.map((tokens) => tokens.join())).size).toBe(asked.length);
          const expectAllTheirs = async (answers: readonly (readonly number[])[]) => {
            let equal = 0;
            for (const [index, one] of all.entries()) {
              const both = [answers[index] ?? [], expected[index] ?? []] as const;
              if (await expectTheirs(server.url, one, both)) equal++;
            }
            expect(equal).toBeGreaterThan(all.length / 2);
          };
          let accepted = 0;
          const oursWith = (predictions: readonly (string | undefined)[]) =>
            Promise.all(
              all.map(({ prompt, chosen }, index) => {
                const prediction = predictions[index];
                return generatedTokens(engine, prompt, chosen, {
                  ...(grammar !== undefined && { grammar }),
                  ...(prediction !== undefined && { prediction }),
                  onFinished: (usage) => {
                    accepted += usage.prediction?.acceptedTokens ?? 0;
                  },
                });
              }),
            );
          await expectAllTheirs(await oursWith([]));
          await expectAllTheirs(await oursWith(theirs.map(({ content }) => content)));
          expect(accepted).toBeGreaterThan(0);
          await expectAllTheirs(await Promise.all(all.map((one) => streamed(url, one))));
        }
      },
    );
  },
);
