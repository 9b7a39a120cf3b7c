import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../support/generate.js";
import { type RunningApp, runApp } from "../support/running-app.js";
import { shippedModel } from "../support/shipped-model.js";

let server: RunningApp;
let client: OpenAI;
beforeAll(async () => {
  server = await runApp(await openEngine(shippedModel, { slots: 4, contextSize: 1024 }));
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
});
afterAll(() => server.close());

type Choice = OpenAI.ChatCompletion.Choice;
type TokenLogprob = OpenAI.ChatCompletionTokenLogprob;

const request = {
  model: "scripted",
  messages: [{ role: "user" as const, content: "What is the capital of France?" }],
  max_tokens: 100,
  temperature: 0,
  logprobs: true,
};

/** Text that clients decode from the tokens' bytes. */
function textOf(tokens: readonly TokenLogprob[]): string {
  return Buffer.from(tokens.flatMap(({ bytes }) => bytes ?? [])).toString();
}

function tokensOf({ logprobs }: Choice): readonly TokenLogprob[] {
  return logprobs?.content ?? [];
}

async function choiceOf(fields: object = {}): Promise<Choice> {
  const { choices } = await client.chat.completions.create({ ...request, ...fields });
  const [choice] = choices;
  if (choice === undefined) throw new Error("no choice");
  return choice;
}

describe("the log-probabilities of an answer", () => {
  it("cover all tokens, which concatenate to the content", async () => {
    const choice = await choiceOf({ top_logprobs: 5 });
    expect(choice.message.content).toBe("The capital of France is Paris.");
    const tokens = tokensOf(choice);
    expect(textOf(tokens)).toBe(choice.message.content);
    for (const { token, bytes, logprob, top_logprobs: top } of tokens) {
      expect(Buffer.from(bytes ?? []).toString()).toBe(token);
      // The most probable token is drawn.
      expect(top).toHaveLength(5);
      expect(top[0]).toEqual({ token, bytes, logprob });
      const probabilities = top.map((one) => Math.exp(one.logprob));
      expect(probabilities).toEqual(probabilities.toSorted((a, b) => b - a));
      const sum = probabilities.reduce((total, probability) => total + probability, 0);
      expect(sum).toBeGreaterThan(0);
      expect(sum).toBeLessThan(1.0001);
    }
  });

  it("are the same in a stream, where each chunk has the log-probabilities of its delta", async () => {
    const streamed: TokenLogprob[] = [];
    for await (const { choices } of await client.chat.completions.create({
      ...request,
      top_logprobs: 2,
      stream: true,
    })) {
      const [choice] = choices;
      const tokens = choice?.logprobs?.content ?? [];
      expect(textOf(tokens)).toBe(choice?.delta.content ?? "");
      streamed.push(...tokens);
    }
    const whole = tokensOf(await choiceOf({ top_logprobs: 2 }));
    expect(streamed.map(({ token }) => token)).toEqual(whole.map(({ token }) => token));
    for (const [index, { logprob }] of streamed.entries()) {
      expect(logprob).toBeCloseTo(whole[index]?.logprob ?? 0, 3);
    }
  });

  it("are collected by the SDK's stream helper", async () => {
    const completion = await client.chat.completions.stream(request).finalChatCompletion();
    const [choice] = completion.choices;
    expect(textOf(choice?.logprobs?.content ?? [])).toBe(choice?.message.content);
  });

  it("are absent unless requested", async () => {
    expect((await choiceOf({ logprobs: false })).logprobs).toBeNull();
  });

  it("are independent of temperature, biases and penalties", async () => {
    const [first] = tokensOf(await choiceOf({ max_tokens: 1, top_logprobs: 20 }));
    const drawn = await choiceOf({
      max_tokens: 1,
      temperature: 1.5,
      top_k: 0,
      top_p: 1,
      min_p: 0,
      seed: 3,
      repetition_penalty: 1.5,
      logit_bias: { "100": 1 },
      top_logprobs: 20,
    });
    const [other] = tokensOf(drawn);
    expect(other?.top_logprobs.map(({ bytes }) => bytes)).toEqual(
      first?.top_logprobs.map(({ bytes }) => bytes),
    );
    for (const [index, { logprob }] of (other?.top_logprobs ?? []).entries()) {
      expect(logprob).toBeCloseTo(first?.top_logprobs[index]?.logprob ?? 0, 3);
    }
  });

  it("cover only the content, not reasoning or tool calls", async () => {
    const thought = await choiceOf({
      messages: [{ role: "user", content: "What is 12 + 7?" }],
      max_tokens: 200,
      chat_template_kwargs: { enable_thinking: true },
    });
    expect(thought.message).toMatchObject({ reasoning_content: expect.stringMatching(/\w/) });
    expect(textOf(tokensOf(thought))).toBe(thought.message.content);
    const called = await choiceOf({
      messages: [{ role: "user", content: "What is the weather in Oslo?" }],
      tools: [
        {
          type: "function",
          function: {
            name: "get_weather",
            description: "Get the weather of a city",
            parameters: { type: "object", properties: { city: { type: "string" } } },
          },
        },
      ],
    });
    expect(called.finish_reason).toBe("tool_calls");
    expect(textOf(tokensOf(called))).toBe(called.message.content ?? "");
  });

  it("end where a stop string starts, even within a token", async () => {
    const choice = await choiceOf({ stop: "ris" });
    expect(choice.message.content).toBe("The capital of France is Pa");
    expect(textOf(tokensOf(choice))).toBe(choice.message.content);
  });

  it("are reported for every token of text constrained by a schema", async () => {
    const schema = {
      type: "object",
      properties: { city: { enum: ["Paris", "Oslo"] }, capital: { type: "boolean" } },
      required: ["city", "capital"],
      additionalProperties: false,
    };
    const choice = await choiceOf({
      response_format: { type: "json_schema", json_schema: { name: "city", schema } },
      top_logprobs: 3,
    });
    expect(JSON.parse(choice.message.content ?? "")).toMatchObject({
      capital: expect.any(Boolean),
    });
    const tokens = tokensOf(choice);
    expect(textOf(tokens)).toBe(choice.message.content);
    // The model's own probabilities: without the schema, it would have chosen other tokens.
    expect(tokens.some(({ token, top_logprobs: top }) => token !== top[0]?.token)).toBe(true);
    for (const { logprob, top_logprobs: top } of tokens) {
      expect(logprob).toBeGreaterThan(-100);
      expect(top[0]?.logprob ?? 0).toBeGreaterThanOrEqual(logprob);
    }
  });

  it("are the same with accepted draft tokens", async () => {
    const repetitive = {
      messages: [
        {
          role: "user" as const,
          content: "Repeat: one two three one two three one two three one two three",
        },
      ],
      max_tokens: 200,
      ignore_eos: true,
      top_logprobs: 1,
    };
    /**
     * Answer of a new engine, which tries unmeasured options, so that drafts do not depend on the
     * machine.
     */
    const answer = async (speculation: "auto" | "off") => {
      const engine = await openEngine(shippedModel, { slots: 1, contextSize: 1024, speculation });
      const { url, close } = await runApp(engine);
      const own = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
      return own.chat.completions.create({ ...request, ...repetitive }).finally(close);
    };
    const [drafted, expected] = [await answer("auto"), await answer("off")];
    expect(drafted).toMatchObject({
      timings: { draft_n_accepted: expect.toSatisfy((accepted: number) => accepted > 0) },
    });
    const [choice, other] = [drafted.choices[0], expected.choices[0]];
    if (choice === undefined || other === undefined) throw new Error("no choice");
    expect(textOf(tokensOf(choice))).toBe(choice.message.content);
    expect(choice.message.content).toBe(other.message.content);
    // A batch of several tokens rounds differently with quantised weights.
    for (const [index, { logprob }] of tokensOf(choice).entries()) {
      expect(logprob).toBeCloseTo(tokensOf(other)[index]?.logprob ?? 0, 1);
    }
  });
});
