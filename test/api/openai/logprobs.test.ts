import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import { describe, expect, it } from "vitest";
import type { TokenScore } from "../../../src/core/generation-event.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { eventJson } from "../../support/server-sent-events.js";
import { buildTestApp } from "../../support/test-app.js";

const messages = [{ role: "user", content: "Hi" }];

const euro = [...new TextEncoder().encode("€")];
const scoreOf = (bytes: readonly number[], logProbability: number): TokenScore => ({
  id: 1,
  bytes,
  logProbability,
  top: [
    { id: 1, bytes, logProbability },
    { id: 1, bytes: [0x21], logProbability: Number.NEGATIVE_INFINITY },
  ],
});
/** Text of two tokens, each a partial character. */
const price = { text: "€", scores: [scoreOf(euro.slice(0, 1), -0.5), scoreOf(euro.slice(1), -2)] };
const five = { text: "5", scores: [scoreOf([0x35], 0)] };

function serve(parts: Script["parts"] = [price, five]) {
  const engine = new ScriptedEngine(() => ({ parts }));
  const { app } = buildTestApp(engine);
  const post = (fields: object) =>
    app.inject({ method: "POST", url: "/v1/chat/completions", payload: { messages, ...fields } });
  return { engine, post };
}

const tokens = [
  { token: "\uFFFD", logprob: -0.5, bytes: [0xe2] },
  { token: "\uFFFD\uFFFD", logprob: -2, bytes: [0x82, 0xac] },
  { token: "5", logprob: 0, bytes: [0x35] },
];

describe("log-probabilities of a chat completion", () => {
  it("cover every token of the content, with bytes, including partial characters", async () => {
    const { choices } = (await serve().post({ logprobs: true })).json<ChatCompletion>();
    expect(choices[0]?.logprobs?.content).toMatchObject(tokens);
    expect(choices[0]?.logprobs).toMatchObject({ refusal: null });
    const bytes = choices[0]?.logprobs?.content?.flatMap((token) => token.bytes ?? []) ?? [];
    expect(Buffer.from(bytes).toString()).toBe(choices[0]?.message.content);
  });

  it("include the most probable tokens, with -9999 for minus infinity", async () => {
    const { choices } = (await serve().post({ logprobs: true })).json<ChatCompletion>();
    expect(choices[0]?.logprobs?.content?.[2]?.top_logprobs).toEqual([
      { token: "5", logprob: 0, bytes: [0x35] },
      { token: "!", logprob: -9999, bytes: [0x21] },
    ]);
  });

  it("are streamed with their text, after a chunk with the role", async () => {
    const { body } = await serve().post({ logprobs: true, stream: true });
    const choices = eventJson<ChatCompletionChunk>(body).flatMap((chunk) => chunk.choices);
    expect(choices).toMatchObject([
      { delta: { role: "assistant" }, logprobs: null },
      { delta: { content: "€" }, logprobs: { content: tokens.slice(0, 2) } },
      { delta: { content: "5" }, logprobs: { content: tokens.slice(2) } },
      { delta: {}, logprobs: null, finish_reason: "stop" },
    ]);
    expect(choices[0]?.delta).not.toHaveProperty("content");
    expect(choices[1]?.delta).not.toHaveProperty("role");
  });

  it("are null in messages and chunks without content", async () => {
    const parts = [{ reasoning: "Hm." }];
    const { choices } = (await serve(parts).post({ logprobs: true })).json<ChatCompletion>();
    expect(choices[0]?.logprobs).toBeNull();
    const { body } = await serve(parts).post({ logprobs: true, stream: true });
    const [first] = eventJson<ChatCompletionChunk>(body).flatMap((chunk) => chunk.choices);
    expect(first).toMatchObject({
      delta: { role: "assistant", reasoning_content: "Hm." },
      logprobs: null,
    });
  });

  it.each([
    [{ logprobs: true }, 0],
    [{ logprobs: true, top_logprobs: 20 }, 20],
    [{ logprobs: false }, undefined],
    [{ logprobs: false, top_logprobs: 0 }, undefined],
    [{ top_logprobs: null }, undefined],
  ])("are requested from the engine: %j", async (fields, top) => {
    const { engine, post } = serve();
    expect((await post(fields)).statusCode).toBe(200);
    expect(engine.requests[0]?.topLogProbabilities).toBe(top);
  });

  it.each([
    [{ top_logprobs: 3 }, "top_logprobs", "expected logprobs to be true as well"],
    [{ logprobs: true, top_logprobs: 21 }, "top_logprobs", "expected an integer from 0 to 20"],
    [{ logprobs: true, top_logprobs: -1 }, "top_logprobs", "expected an integer from 0 to 20"],
    [{ logprobs: 5 }, "logprobs", "expected true or false"],
  ])("are rejected if requested with %j", async (fields, param, message) => {
    const response = await serve().post(fields);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      error: { param, message: expect.stringContaining(message) },
    });
  });
});
