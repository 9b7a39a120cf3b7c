/** Log-probabilities of prompt tokens: `echo` with `logprobs`. */
import { describe, expect, it } from "vitest";
import type { TextCompletion } from "../../../../src/api/openai/completions/answer.js";
import type { TextCompletionChunk } from "../../../../src/api/openai/completions/stream.js";
import type { PromptTokenScore, TokenScore } from "../../../../src/core/generation-event.js";
import type { RawGenerationRequest } from "../../../../src/core/generation-request.js";
import { type Script, ScriptedEngine } from "../../../support/scripted-engine.js";
import { eventJson } from "../../../support/server-sent-events.js";
import { buildTestApp } from "../../../support/test-app.js";

const bytesOf = (text: string) => [...Buffer.from(text)];
const scored = (text: string, logProbability: number): TokenScore => ({
  id: 1,
  bytes: bytesOf(text),
  logProbability,
  top: [{ id: 1, bytes: bytesOf("?"), logProbability: -0.5 }],
});
const first = (text: string): PromptTokenScore => ({ id: 1, bytes: bytesOf(text), top: [] });

/** Scores a prompt in two events; each letter is a token, the nth one with log-probability -n. */
function scores({ prompt }: RawGenerationRequest): readonly PromptTokenScore[] {
  const letters =
    prompt.type === "tokens" ? prompt.tokens.map((token) => String.fromCharCode(token)) : [];
  const texts = prompt.type === "text" ? [...prompt.text] : letters;
  return texts.map((letter, index) => (index === 0 ? first(letter) : scored(letter, -index)));
}

function continued(request: RawGenerationRequest, choice: number): Script {
  const ofPrompt = scores(request);
  const text = `${choice}`;
  const isEmpty = request.stopping.maxTokens === 0;
  const pieces = [{ promptScores: ofPrompt.slice(0, 2) }, { promptScores: ofPrompt.slice(2) }];
  return {
    parts: [
      ...(choice === 0 ? pieces.filter(({ promptScores }) => promptScores.length > 0) : []),
      ...(isEmpty ? [] : [{ text, scores: [scored(text, -0.25)] }]),
    ],
    ending: "length",
    endScores: [],
  };
}

function open(rawScript: (request: RawGenerationRequest, choice: number) => Script = continued) {
  const engine = new ScriptedEngine(
    () => {
      throw new Error("expected a prompt without messages");
    },
    { rawScript, slots: 4 },
  );
  const { app } = buildTestApp(engine);
  const inject = async (payload: object) => {
    const response = await app.inject({ method: "POST", url: "/v1/completions", payload });
    expect(response.statusCode, response.body).toBe(200);
    return response;
  };
  return {
    engine,
    post: async (payload: object): Promise<TextCompletion> => (await inject(payload)).json(),
    stream: async (payload: object) => {
      const { body } = await inject({ stream: true, ...payload });
      return eventJson<TextCompletionChunk>(body).flatMap(({ choices }) => choices);
    },
  };
}

const echoed = { echo: true, logprobs: 1 };
const ofAbc0 = {
  tokens: ["a", "b", "c", "0"],
  token_logprobs: [null, -1, -2, -0.25],
  top_logprobs: [null, { "?": -0.5, b: -1 }, { "?": -0.5, c: -2 }, { "?": -0.5, "0": -0.25 }],
  text_offset: [0, 1, 2, 3],
};

describe("a completion with echo and logprobs", () => {
  it("returns the prompt's log-probabilities before those of the completion", async () => {
    const { engine, post } = open();
    const { choices } = await post({ prompt: "abc", ...echoed });
    expect(choices).toEqual([
      { index: 0, text: "abc0", logprobs: ofAbc0, finish_reason: "length" },
    ]);
    expect(engine.rawRequests).toMatchObject([{ topLogProbabilities: 1, scoredTokens: "all" }]);
  });

  it("returns only the prompt if max_tokens is 0", async () => {
    const { engine, post, stream } = open();
    const prompt = { prompt: "abc", max_tokens: 0, ...echoed };
    const { choices } = await post(prompt);
    expect(choices).toMatchObject([
      {
        text: "abc",
        logprobs: { tokens: ["a", "b", "c"], token_logprobs: [null, -1, -2] },
        finish_reason: "length",
      },
    ]);
    expect(engine.rawRequests).toMatchObject([{ stopping: { maxTokens: 0 } }]);
    expect(await stream(prompt)).toMatchObject([
      { text: "abc", logprobs: { tokens: ["a", "b", "c"] }, finish_reason: null },
      { text: "", logprobs: null, finish_reason: "length" },
    ]);
  });

  it("accepts token ids as the prompt", async () => {
    const { post } = open();
    const { choices } = await post({ prompt: [97, 98, 99], ...echoed });
    expect(choices).toMatchObject([{ text: "abc0", logprobs: ofAbc0 }]);
  });

  it("streams the whole prompt in its first chunk", async () => {
    const { stream } = open();
    const chunks = await stream({ prompt: "abc", ...echoed });
    expect(chunks).toEqual([
      {
        index: 0,
        text: "abc",
        logprobs: {
          tokens: ofAbc0.tokens.slice(0, 3),
          token_logprobs: ofAbc0.token_logprobs.slice(0, 3),
          top_logprobs: ofAbc0.top_logprobs.slice(0, 3),
          text_offset: ofAbc0.text_offset.slice(0, 3),
        },
        finish_reason: null,
      },
      {
        index: 0,
        text: "0",
        logprobs: {
          tokens: ["0"],
          token_logprobs: [-0.25],
          top_logprobs: [ofAbc0.top_logprobs[3]],
          text_offset: [3],
        },
        finish_reason: null,
      },
      { index: 0, text: "", logprobs: null, finish_reason: "length" },
    ]);
  });

  it("returns the prompt's log-probabilities with each of its completions", async () => {
    const { post, stream } = open();
    const several = { prompt: ["abc", "de"], n: 2, ...echoed };
    const expected = [
      ["abc0", ["a", "b", "c", "0"]],
      ["abc1", ["a", "b", "c", "1"]],
      ["de0", ["d", "e", "0"]],
      ["de1", ["d", "e", "1"]],
    ];
    const { choices } = await post(several);
    expect(choices.map(({ text, logprobs }) => [text, logprobs?.tokens])).toEqual(expected);
    const chunks = await stream(several);
    const joined = [0, 1, 2, 3].map((index) => {
      const own = chunks.filter((chunk) => chunk.index === index);
      const tokens = own.flatMap(({ logprobs }) => logprobs?.tokens ?? []);
      return [own.map(({ text }) => text).join(""), tokens];
    });
    expect(joined).toEqual(expected);
  });

  it("returns the prompt's log-probabilities with the best completion only", async () => {
    const { post } = open((request, choice) => {
      const { parts, ...script } = continued(request, choice);
      const text = { text: "!", scores: [scored("!", choice === 1 ? -1 : -2)] };
      return { ...script, parts: [...parts.slice(0, -1), text] };
    });
    const { choices } = await post({ prompt: "abc", best_of: 3, ...echoed });
    expect(choices).toMatchObject([
      { text: "abc!", logprobs: { token_logprobs: [null, -1, -2, -1] } },
    ]);
  });

  it("includes all tokens, even without text, such as the end token", async () => {
    const end = { id: 1, bytes: [], controlText: "<|end|>", logProbability: -3, top: [] };
    const { post, stream } = open(() => ({
      parts: [{ promptScores: [first("a")] }, { text: "b", scores: [scored("b", -1)] }],
      endScores: [end],
    }));
    const prompt = { prompt: "a", ...echoed };
    const tokens = ["a", "b", "<|end|>"];
    const { choices } = await post(prompt);
    expect(choices).toMatchObject([
      { text: "ab", logprobs: { tokens, text_offset: [0, 1, 2] }, finish_reason: "stop" },
    ]);
    const chunks = await stream(prompt);
    expect(chunks.flatMap(({ logprobs }) => logprobs?.tokens ?? [])).toEqual(tokens);
    expect(chunks.flatMap(({ logprobs }) => logprobs?.text_offset ?? [])).toEqual([0, 1, 2]);
  });

  it("reports control tokens by name, and the most probable of several tokens with the same text", async () => {
    const named = (controlText: string, logProbability: number) => ({
      id: 1,
      bytes: [],
      controlText,
      logProbability,
    });
    const letter = (logProbability: number) => ({ id: 1, bytes: bytesOf("b"), logProbability });
    const { post } = open(() => ({
      parts: [
        {
          promptScores: [
            { id: 1, bytes: [], controlText: "<s>", top: [] },
            { ...letter(-4), top: [letter(-1), named("</s>", -2), named("<s>", -3)] },
          ],
        },
      ],
    }));
    const { choices } = await post({ prompt: "b", ...echoed });
    expect(choices[0]?.logprobs).toEqual({
      tokens: ["<s>", "b"],
      token_logprobs: [null, -4],
      top_logprobs: [null, { b: -1, "</s>": -2, "<s>": -3 }],
      text_offset: [0, 0],
    });
  });
});

it("echoed token ids are returned as text", async () => {
  const { post, stream } = open(() => ({ parts: ["!"] }));
  const prompt = { prompt: [[97, 98], [99]], echo: true };
  const { choices } = await post(prompt);
  expect(choices).toMatchObject([
    { text: "ab!", logprobs: null },
    { text: "c!", logprobs: null },
  ]);
  const chunks = await stream(prompt);
  expect(chunks.filter(({ index }) => index === 0).map(({ text }) => text)).toEqual(["ab!", ""]);
});

it("a completion with max_tokens 0 is empty", async () => {
  const { engine, post } = open(() => ({ parts: [], ending: "length" }));
  const { choices } = await post({ prompt: "a", max_tokens: 0 });
  expect(choices).toEqual([{ index: 0, text: "", logprobs: null, finish_reason: "length" }]);
  expect(engine.rawRequests[0]).not.toHaveProperty("scoredTokens");
});
