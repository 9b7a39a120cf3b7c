import { expect, it } from "vitest";
import { toBody } from "../../bench/client/chat-request.js";

const messages = [{ role: "user" as const, content: "Hello" }];

it("asks for a stream of fixed length with usage, greedy", () => {
  expect(toBody({ messages, maxTokens: 8 }, "m")).toEqual({
    model: "m",
    messages,
    max_tokens: 8,
    temperature: 0,
    ignore_eos: true,
    stream: true,
    stream_options: { include_usage: true },
  });
});

it("asks for no stream where the answer is taken whole", () => {
  const body = toBody({ messages, maxTokens: 8, taken: { kind: "whole" } }, "m");
  expect(body).not.toHaveProperty("stream");
  expect(body).not.toHaveProperty("stream_options");
});

it("leaves sampling and the end to the model where a scenario says so", () => {
  const sampling = { temperature: 1, seed: 7 };
  expect(toBody({ messages, maxTokens: 8, endedBy: "model", sampling }, "m")).toMatchObject({
    temperature: 1,
    seed: 7,
    ignore_eos: false,
  });
});
