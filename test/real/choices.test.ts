import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import { eventually } from "../support/eventually.js";
import { generate, openEngine } from "../support/generate.js";
import { tinyModel } from "../support/random-models.js";
import { type RunningApp, runApp } from "../support/running-app.js";
import { shippedModel } from "../support/shipped-model.js";

type Request = OpenAI.ChatCompletionCreateParamsNonStreaming;
type Choices = OpenAI.ChatCompletion["choices"];

/** Prompt of a few hundred tokens, long enough for other choices to wait for it. */
const story = "One day, the cat saw the old map. It was in a box near the river. ".repeat(12);

const request = {
  model: "scripted",
  messages: [{ role: "user" as const, content: `${story}What did the cat see?` }],
  max_tokens: 24,
  temperature: 1.2,
  seed: 7,
} satisfies Request;

/** A shorter end of a prompt is evaluated again instead of waiting for it. */
const NOT_WAITED_FOR = 64;

/** llama-server's timings, which the package does not know. */
interface Timings {
  readonly cache_n: number;
  readonly prompt_n: number;
}

interface Served {
  readonly engine: Engine;
  readonly app: RunningApp;
  readonly client: OpenAI;
}

async function serve(model: string, slots: number): Promise<Served> {
  const engine = await openEngine(model, { slots, contextSize: 1024 });
  const app = await runApp(engine);
  const client = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: "none", maxRetries: 0 });
  return { engine, app, client };
}

const textsOf = (choices: Choices) => choices.map(({ message }) => message.content);

/** The chunks of a stream that end a choice, with the timings of that choice. */
async function endingsOf(client: OpenAI, fields: Partial<Request>) {
  const stream = await client.chat.completions.create({ ...request, ...fields, stream: true });
  const endings: { readonly index: number; readonly timings: Timings }[] = [];
  for await (const { choices, ...chunk } of stream) {
    const [choice] = choices;
    if (choice === undefined || !("timings" in chunk)) continue;
    endings.push({ index: choice.index, timings: chunk.timings as Timings });
  }
  return endings.toSorted((a, b) => a.index - b.index);
}

describe("n choices of the shipped model", () => {
  let four: Served;
  beforeAll(async () => {
    four = await serve(shippedModel, 4);
  });
  afterAll(() => four.app.close());

  it("evaluate their prompt once, and the others copy it from the first choice", async () => {
    const endings = await endingsOf(four.client, { n: 4 });
    expect(endings.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    const [first, ...others] = endings;
    expect(first?.timings.cache_n).toBe(0);
    expect(first?.timings.prompt_n).toBeGreaterThan(200);
    for (const { timings } of others) expect(timings.prompt_n).toBeLessThan(NOT_WAITED_FOR);
  });

  it("are identical with greedy decoding", async () => {
    const greedy = { ...request, temperature: 0, n: 3 };
    const { choices } = await four.client.chat.completions.create(greedy);
    expect(choices).toHaveLength(3);
    expect(new Set(textsOf(choices)).size).toBe(1);
  });

  it("each satisfy a schema", async () => {
    const schema = { type: "object", properties: { a: { type: "boolean" } }, required: ["a"] };
    const { choices } = await four.client.chat.completions.create({
      ...request,
      max_tokens: 100,
      n: 3,
      response_format: {
        type: "json_schema",
        json_schema: { name: "a", schema: { ...schema, additionalProperties: false } },
      },
    });
    for (const text of textsOf(choices)) {
      expect(JSON.parse(text ?? "")).toEqual({ a: expect.any(Boolean) });
    }
  });

  it("are assembled by the SDK's stream helper, with their log-probabilities", async () => {
    const stream = four.client.chat.completions.stream({ ...request, n: 2, logprobs: true });
    const { choices } = await stream.finalChatCompletion();
    const whole = await four.client.chat.completions.create({ ...request, n: 2 });
    expect(textsOf(choices)).toEqual(textsOf(whole.choices));
    for (const { logprobs, message } of choices) {
      const bytes = logprobs?.content?.flatMap((token) => token.bytes ?? []) ?? [];
      expect(Buffer.from(bytes).toString()).toBe(message.content);
    }
  });

  it("free all slots when the client disconnects", async () => {
    const hangingUp = new AbortController();
    const stream = await four.client.chat.completions.create(
      { ...request, n: 6, max_tokens: 700, stream: true, ...{ ignore_eos: true } },
      { signal: hangingUp.signal },
    );
    const cancel = vi.spyOn(four.engine, "cancel");
    onTestFinished(() => cancel.mockRestore());
    const reading = (async () => {
      for await (const { choices } of stream) if (choices[0]?.index === 3) hangingUp.abort();
    })();
    await reading.catch(() => undefined);
    await eventually(() => expect(cancel).toHaveBeenCalledTimes(4));
    const answers = await Promise.all(
      ["a", "b", "c", "d"].map((content) => generate(four.engine, content, { id: content })),
    );
    expect(answers.map(({ usage }) => usage?.completionTokens)).toEqual([20, 20, 20, 20]);
  });
});

describe("more choices than slots", () => {
  it("are generated one after another, and still evaluate their prompt once", async () => {
    const { app, client } = await serve(shippedModel, 2);
    onTestFinished(() => app.close());
    const endings = await endingsOf(client, { n: 6 });
    expect(endings.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    const [, ...others] = endings;
    for (const { timings } of others) expect(timings.prompt_n).toBeLessThan(NOT_WAITED_FOR);
    const { choices } = await client.chat.completions.create({ ...request, n: 6 });
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

describe("n choices of a model with random weights", () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(tinyModel("f32"), 3);
  });
  afterAll(() => served.app.close());
  const create = (fields: Partial<Request>) =>
    served.client.chat.completions.create({ ...request, ...fields });

  it("differ from each other, and are reproducible with a seed, concurrently or sequentially", async () => {
    const { choices, usage } = await create({ n: 5 });
    expect(new Set(textsOf(choices)).size).toBe(5);
    expect(textsOf((await create({ n: 5 })).choices)).toEqual(textsOf(choices));
    let completionTokens = 0;
    for (const [index, choice] of choices.entries()) {
      const alone = await create({ seed: request.seed + index });
      expect(textsOf(alone.choices)).toEqual([choice.message.content]);
      expect(alone.usage?.prompt_tokens).toBe(usage?.prompt_tokens);
      completionTokens += alone.usage?.completion_tokens ?? 0;
    }
    expect(usage?.completion_tokens).toBe(completionTokens);
  });

  it("differ without a seed, also from later requests", async () => {
    const first = await create({ n: 3, seed: undefined });
    const second = await create({ n: 3, seed: undefined });
    expect(new Set([...textsOf(first.choices), ...textsOf(second.choices)]).size).toBe(6);
  });

  it("differ with a server-wide seed", async () => {
    const engine = await openEngine(tinyModel("f32"), { slots: 3, contextSize: 1024, seed: 1 });
    const app = await runApp(engine);
    onTestFinished(() => app.close());
    const client = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: "none", maxRetries: 0 });
    const { choices } = await client.chat.completions.create({
      ...request,
      seed: undefined,
      n: 3,
    });
    expect(new Set(textsOf(choices)).size).toBe(3);
  });
});
