/**
 * `echo` with `logprobs`: log-probabilities of the prompt's tokens, as evaluation harnesses request
 * them.
 */
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TextLogprobs } from "../../src/api/openai/completions/logprobs.js";
import type { Engine } from "../../src/core/engine.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { openEngine } from "../support/generate.js";
import { tinyModel } from "../support/random-models.js";
import { type RunningApp, runApp } from "../support/running-app.js";
import { shippedModel } from "../support/shipped-model.js";

interface Served {
  readonly engine: Engine;
  readonly app: RunningApp;
  readonly client: OpenAI;
}

async function serve(model: string, settings: Partial<EngineSettings> = {}): Promise<Served> {
  const engine = await openEngine(model, { slots: 4, contextSize: 1024, ...settings });
  const app = await runApp(engine);
  const client = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: "none", maxRetries: 0 });
  return { engine, app, client };
}

async function tokenize(
  { engine }: Served,
  text: string,
  controlTokens: "literal" | "parsed" = "literal",
): Promise<number[]> {
  const question = { type: "tokenize", text, beginning: "bare", pieces: "unwanted" } as const;
  const answer = await engine.ask({ ...question, controlTokens });
  return answer.type === "tokens" ? [...answer.tokens] : [];
}

type Request = Partial<OpenAI.CompletionCreateParamsNonStreaming> & { readonly prompt: unknown };

async function complete({ client }: Served, request: Request): Promise<OpenAI.Completion> {
  const body = { model: "scripted", temperature: 0, ...request };
  return client.completions.create(body as OpenAI.CompletionCreateParamsNonStreaming);
}

function logprobsOf({ choices }: OpenAI.Completion, index = 0): TextLogprobs {
  const logprobs = choices[index]?.logprobs;
  if (!logprobs) throw new Error("no log-probabilities");
  return logprobs as unknown as TextLogprobs;
}

/** Keys and values are rounded to 16 bits, and the order of the summation depends on the batch size. */
const DIGITS = 1;

const scoring = { echo: true, logprobs: 2, max_tokens: 0 };

/** Log-probabilities of a prompt, computed by generating each token after the previous ones. */
async function tokenByToken(served: Served, tokens: readonly number[]) {
  const answers = await Promise.all(
    tokens.slice(1).map((token, index) =>
      complete(served, {
        prompt: tokens.slice(0, index + 1),
        max_tokens: 1,
        logprobs: 2,
        logit_bias: { [token]: 100 },
      }),
    ),
  );
  return answers.map((answer) => logprobsOf(answer));
}

function expectEqual(
  scored: TextLogprobs,
  expected: readonly TextLogprobs[],
  digits: number,
): void {
  expect(scored.token_logprobs).toHaveLength(expected.length + 1);
  expect(scored.token_logprobs[0]).toBeNull();
  expect(scored.top_logprobs[0]).toBeNull();
  for (const [index, { tokens, token_logprobs, top_logprobs }] of expected.entries()) {
    expect(scored.tokens[index + 1]).toBe(tokens[0]);
    expect(scored.token_logprobs[index + 1]).toBeCloseTo(token_logprobs[0] ?? 0, digits);
    const [top, expectedTop] = [scored.top_logprobs[index + 1], top_logprobs[0]];
    const highest = (one: typeof top) => Math.max(...Object.values(one ?? {}));
    expect(highest(top)).toBeCloseTo(highest(expectedTop), digits);
  }
}

const story = "One day, the cat saw the old map. It was in a box near the river. ";
/** Longer than the number of logit rows in a batch. */
const long = story.repeat(2);
const texts = [long, "The dog ran. ", "a", "One day, the cat ran."];

type Shape = Parameters<typeof tinyModel>[1];

describe.each<[string, Shape, Partial<EngineSettings>]>([
  ["in the split layout", "tiny", {}],
  ["in the unified layout", "tiny", { kvCacheLayout: "unified", cacheRamMiB: 16 }],
  ["in small batches, without drafts", "tiny", { batchSize: 24, speculation: "off" }],
  ["of a recurrent model", "mamba-tiny", { cacheRamMiB: 16 }],
  ["of a model with sliding windows", "cohere2-tiny", { cacheRamMiB: 16 }],
])("the log-probabilities of prompts %s", (_, shape, settings) => {
  let served: Served;
  let prompts: number[][];
  let expected: readonly (readonly TextLogprobs[])[];
  beforeAll(async () => {
    served = await serve(tinyModel("f32", shape), settings);
    prompts = await Promise.all(texts.map((text) => tokenize(served, text)));
    const scored: (readonly TextLogprobs[])[] = [];
    for (const tokens of prompts) scored.push(await tokenByToken(served, tokens));
    expect(prompts[0]?.length).toBeGreaterThan(64);
    expected = scored;
  });
  afterAll(() => served.app.close());

  it("equal those of generating the prompt token by token", async () => {
    for (const [index, tokens] of prompts.entries()) {
      const answer = await complete(served, { prompt: tokens, ...scoring });
      expectEqual(logprobsOf(answer), expected[index] ?? [], DIGITS);
      expect(answer.usage).toMatchObject({
        prompt_tokens: tokens.length,
        completion_tokens: 0,
        prompt_tokens_details: { cached_tokens: 0 },
      });
      expect(answer.choices[0]?.finish_reason).toBe("length");
    }
  });

  it("are the same for several concurrent prompts, some of them cached, alongside chats", async () => {
    const [first = []] = prompts;
    await complete(served, { prompt: first, max_tokens: 4 });
    const beside = complete(served, { prompt: story, max_tokens: 40 });
    const [all, one] = await Promise.all([
      complete(served, { prompt: prompts, ...scoring }),
      complete(served, { prompt: first, n: 2, ...scoring, max_tokens: 1 }),
    ]);
    for (const [index, ofPrompt] of expected.entries()) {
      expectEqual(logprobsOf(all, index), ofPrompt, DIGITS);
    }
    const [ofFirst = []] = expected;
    for (const choice of [0, 1]) {
      const { tokens, ...lists } = logprobsOf(one, choice);
      expect(tokens).toHaveLength(first.length + 1);
      const prompt = {
        tokens: tokens.slice(0, -1),
        token_logprobs: lists.token_logprobs.slice(0, -1),
        top_logprobs: lists.top_logprobs.slice(0, -1),
        text_offset: lists.text_offset.slice(0, -1),
      };
      expectEqual(prompt, ofFirst, DIGITS);
    }
    expect((await beside).choices).toHaveLength(1);
  });
});

describe("lm-evaluation-harness", () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(shippedModel);
  });
  afterAll(() => served.app.close());

  /** Log-likelihood request of the harness, which ignores the last token. */
  const request = { max_tokens: 1, logprobs: 1, seed: 1234, echo: true };

  /** Fields of a choice that it reads: the sum, and whether each token is the most probable one. */
  function readAnswer({ token_logprobs, top_logprobs }: TextLogprobs, contextTokens: number) {
    const own = token_logprobs.slice(contextTokens, -1).map((one) => one ?? Number.NaN);
    const top = top_logprobs.slice(contextTokens, -1);
    return {
      sum: own.reduce((sum, one) => sum + one, 0),
      isGreedy: own.every((one, index) => one === Math.max(...Object.values(top[index] ?? {}))),
    };
  }

  it("scores the model's own continuation higher than another one", async () => {
    const question = "<|im_start|>user\nWhat is the capital of France?<|im_end|>\n";
    const context = await tokenize(served, `${question}<|im_start|>assistant\n`, "parsed");
    const { choices } = await complete(served, { prompt: context, max_tokens: 6 });
    const written = await tokenize(served, choices[0]?.text ?? "");
    const other = await tokenize(served, "The capital of France is Oslo");
    const answer = await complete(served, {
      prompt: [
        [...context, ...written],
        [...context, ...other],
      ],
      ...request,
    });
    const [likely, unlikely] = [0, 1].map((index) =>
      readAnswer(logprobsOf(answer, index), context.length),
    );
    expect(likely?.isGreedy).toBe(true);
    expect(unlikely?.isGreedy).toBe(false);
    expect(likely?.sum).toBeGreaterThan(unlikely?.sum ?? 0);
  });

  it("gets one token more than it sent, even if the model ends the text with it", async () => {
    const prompts = await Promise.all(
      ["<|im_start|>user\nHi<|im_end|>\n", "One day, the cat", "a", "<|im_end|>"].map((text) =>
        tokenize(served, text, "parsed"),
      ),
    );
    const [, , , ending = []] = prompts;
    const biased = { logit_bias: { [ending.at(-1) ?? 0]: 100 } };
    for (const fields of [{}, biased]) {
      const { choices, usage } = await complete(served, { prompt: prompts, ...request, ...fields });
      for (const [index, { logprobs, text }] of choices.entries()) {
        const { tokens, text_offset } = logprobs as unknown as TextLogprobs;
        expect(tokens).toHaveLength((prompts[index]?.length ?? 0) + 1);
        // Names of control tokens are part of the echo, but not of the generated text.
        const prompt = tokens.slice(0, -1).join("");
        expect(text.startsWith(prompt)).toBe(true);
        expect(text_offset.at(-1)).toBe([...prompt].length);
      }
      expect(usage?.completion_tokens).toBe(prompts.length);
    }
  });

  it("finds the tokens of a text by their offsets", async () => {
    const prompt = "Zoë said: “naïve 🙂 cats”.";
    const { choices } = await complete(served, { prompt, ...scoring });
    const { tokens, text_offset } = logprobsOf({ choices } as OpenAI.Completion);
    expect(choices[0]?.text).toBe(prompt);
    const characters = [...prompt];
    for (const [index, token] of tokens.entries()) {
      if (token.startsWith("bytes:")) continue;
      const begin = text_offset[index] ?? 0;
      expect(characters.slice(begin, begin + [...token].length).join("")).toBe(token);
    }
  });

  it("gets an error for a prompt that does not fit", async () => {
    const prompt = await tokenize(served, long.repeat(32));
    await expect(complete(served, { prompt, ...scoring })).rejects.toMatchObject({
      status: 400,
      code: "context_length_exceeded",
    });
  });
});
