import { expect, it } from "vitest";
import { toBody } from "../../bench/client/chat-request.js";

const messages = [{ role: "user" as const, content: "Hello" }];

it("a benchmark request is a greedy stream of fixed length with usage by default", () => {
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

it("a benchmark request omits the stream options in non-streamed mode", () => {
  const body = toBody({ messages, maxTokens: 8, mode: { kind: "non-streamed" } }, "m");
  expect(body).not.toHaveProperty("stream");
  expect(body).not.toHaveProperty("stream_options");
});

it("a benchmark request uses the scenario's sampling parameters and allows EOS if the model ends the answer", () => {
  const sampling = { temperature: 1, seed: 7 };
  expect(toBody({ messages, maxTokens: 8, endedBy: "model", sampling }, "m")).toMatchObject({
    temperature: 1,
    seed: 7,
    ignore_eos: false,
  });
});

it("a benchmark request puts an image before the message's text", () => {
  const image = "data:image/png;base64,AA==";
  const seen = { role: "user", content: "What is this?", image } as const;
  expect(toBody({ messages: [seen, ...messages], maxTokens: 8 }, "m").messages).toEqual([
    {
      role: "user",
      content: [
        { type: "image_url", image_url: { url: image } },
        { type: "text", text: "What is this?" },
      ],
    },
    ...messages,
  ]);
});
