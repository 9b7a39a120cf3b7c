import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../support/generate.js";
import { type RunningApp, runApp } from "../support/running-app.js";
import { shippedModel } from "../support/shipped-model.js";

let server: RunningApp;
let client: Anthropic;
beforeAll(async () => {
  server = await runApp(await openEngine(shippedModel, { slots: 2, contextSize: 2048 }));
  client = new Anthropic({ baseURL: server.url, apiKey: "none", maxRetries: 0 });
});
afterAll(() => server.close());

type Fields = Partial<Anthropic.MessageCreateParamsNonStreaming>;

const ask = (content: string, fields: Fields = {}) => ({
  model: "scripted",
  messages: [{ role: "user" as const, content }],
  temperature: 0,
  max_tokens: 200,
  ...fields,
});

const textOf = ({ content }: Anthropic.Message) =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");

const weather: Anthropic.Tool = {
  name: "get_weather",
  description: "Get the weather of a city",
  input_schema: {
    type: "object",
    properties: { city: { type: "string", maxLength: 20 } },
    required: ["city"],
    additionalProperties: false,
  },
};

describe("the shipped model with Anthropic's SDK", () => {
  it("gives the same answer with and without streaming", async () => {
    const whole = await client.messages.create(ask("What is the capital of France?"));
    const streamed = await client.messages
      .stream(ask("What is the capital of France?"))
      .finalMessage();
    expect(textOf(whole)).toMatch(/Paris/);
    expect(whole.stop_reason).toBe("end_turn");
    expect(streamed.content).toEqual(whole.content);
  });

  it("reports cached tokens, and count_tokens returns the same number of tokens", async () => {
    const request = ask("Tell me about the sea, and about the moon.", { max_tokens: 5 });
    await client.messages.create(request);
    const { usage, stop_reason: reason } = await client.messages.create(request);
    const { model, messages } = request;
    const { input_tokens: tokens } = await client.messages.countTokens({ model, messages });
    expect(reason).toBe("max_tokens");
    expect(usage.input_tokens).toBe(1);
    expect(usage.input_tokens + (usage.cache_read_input_tokens ?? 0)).toBe(tokens);
  });

  it("names the stop sequence that ended an answer", async () => {
    const whole = textOf(await client.messages.create(ask("What is the capital of France?")));
    const sequence = whole.slice(4, 9);
    const stopped = await client.messages.create(
      ask("What is the capital of France?", { stop_sequences: ["never", sequence] }),
    );
    expect(stopped).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: sequence });
    expect(textOf(stopped)).toBe(whole.slice(0, whole.indexOf(sequence)));
  });

  it("continues a prefilled assistant message", async () => {
    const whole = textOf(await client.messages.create(ask("What is the capital of France?")));
    const begun = whole.slice(0, whole.indexOf(" ", 4));
    const continued = await client.messages.create(
      ask("", {
        messages: [
          { role: "user", content: "What is the capital of France?" },
          { role: "assistant", content: begun },
        ],
      }),
    );
    expect(begun + textOf(continued)).toBe(whole);
  });

  it.each([{ type: "any" as const }, { type: "tool" as const, name: "get_weather" }])(
    "calls a tool with tool_choice $type",
    async (choice) => {
      const fields = { tools: [weather], tool_choice: choice };
      const message = await client.messages.create(ask("How is the weather in Oslo?", fields));
      expect(message).toMatchObject({
        stop_reason: "tool_use",
        content: [{ type: "tool_use", name: "get_weather", input: { city: expect.any(String) } }],
      });
    },
  );

  it("returns JSON that satisfies the requested schema", async () => {
    const schema = {
      type: "object",
      properties: { city: { type: "string", maxLength: 20 }, size: { type: "integer" } },
      required: ["city", "size"],
      additionalProperties: false,
    };
    const format = { type: "json_schema" as const, schema };
    const message = await client.messages.create(ask("Oslo", { output_config: { format } }));
    expect(JSON.parse(textOf(message))).toEqual({
      city: expect.any(String),
      size: expect.any(Number),
    });
  });

  it("rejects features that a schema cannot express, with their path", async () => {
    const impossible = { type: "object" as const, properties: { a: { $ref: "#/nowhere" } } };
    const strict = { ...weather, input_schema: impossible, strict: true };
    const sent = client.messages.create(ask("Hi", { tools: [weather, strict] }));
    await expect(sent).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("tools.1.input_schema"),
    });
    const format = { type: "json_schema" as const, schema: impossible };
    const other = client.messages.create(ask("Hi", { output_config: { format } }));
    await expect(other).rejects.toMatchObject({
      message: expect.stringContaining("output_config.format.schema"),
    });
  });
});
