import Anthropic from "@anthropic-ai/sdk";
import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema";
import { describe, expect, it } from "vitest";
import { createSignature } from "../../../src/api/anthropic/thinking.js";
import { GgufdError } from "../../../src/core/errors.js";
import { eventually } from "../../support/eventually.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";
import { ALIAS } from "../../support/test-app.js";

const text = '{"text":"é \\u00e9 \\"\\n\\u2028"}';
const first = { id: "call_1", name: "add", arguments: ['{"a": ', "1, ", '"b": 2.5}'] };
const second = { id: "call_2", name: "say", arguments: ['{"te', text.slice(4)] };
const calls: Script = {
  parts: [
    { reasoning: "Two " },
    { reasoning: "calls." },
    "Wa",
    "it.",
    { call: first },
    { call: second },
  ],
  ending: "tool-calls",
};
const overload = new GgufdError("server_overloaded", "Full.", { retryAfterSeconds: 0 });

let script: () => Script = () => calls;
const engine = new ScriptedEngine(() => script(), { contextSize: 1000 });
const server = await serve(engine, { apiKeys: ["key"] });
const client = new Anthropic({ baseURL: server.url, apiKey: "key", maxRetries: 0 });

const request = {
  model: ALIAS,
  max_tokens: 100,
  messages: [{ role: "user" as const, content: "Add" }],
};

const content = [
  { type: "thinking", thinking: "Two calls.", signature: createSignature("Two calls.", "shown") },
  { type: "text", text: "Wait." },
  { type: "tool_use", id: "call_1", name: "add", input: { a: 1, b: 2.5 } },
  { type: "tool_use", id: "call_2", name: "say", input: JSON.parse(text) },
];

describe("the Anthropic SDK's messages", () => {
  it("are the same with and without streaming", async () => {
    script = () => calls;
    const whole = await client.messages.create(request);
    const streamed = await client.messages.stream(request).finalMessage();
    for (const message of [whole, streamed]) {
      expect(message).toMatchObject({ content, stop_reason: "tool_use" });
    }
    expect({ ...streamed, id: "" }).toMatchObject({ ...whole, id: "" });
    expect(whole._request_id).toMatch(/^req_/);
  });

  it("arrive as incremental events", async () => {
    script = () => calls;
    const pieces: string[] = [];
    const stream = client.messages
      .stream(request)
      .on("thinking", (delta) => pieces.push(`thinking ${delta}`))
      .on("text", (delta) => pieces.push(`text ${delta}`))
      .on("inputJson", (delta) => pieces.push(`json ${delta}`))
      .on("signature", (signature) => pieces.push(`signature ${signature}`));
    await stream.done();
    expect(pieces).toEqual([
      "thinking Two ",
      "thinking calls.",
      `signature ${createSignature("Two calls.", "shown")}`,
      "text Wa",
      "text it.",
      ...[...first.arguments, ...second.arguments].map((piece) => `json ${piece}`),
    ]);
  });

  it("report the stop sequence and the usage", async () => {
    script = () => ({ parts: ["One"], stopString: "two" });
    const sent = { ...request, stop_sequences: ["two", "three"] };
    const whole = await client.messages.create(sent);
    const streamed = await client.messages.stream(sent).finalMessage();
    for (const message of [whole, streamed]) {
      expect(message).toMatchObject({
        stop_reason: "stop_sequence",
        stop_sequence: "two",
        usage: { input_tokens: 2, cache_read_input_tokens: 1, output_tokens: 1 },
      });
    }
  });

  it("are constrained and parsed by a JSON schema", async () => {
    script = () => ({ parts: ['{"city":', '"Oslo"}'] });
    const format = jsonSchemaOutputFormat({
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    });
    const message = await client.messages.parse({ ...request, output_config: { format } });
    expect(message.parsed_output).toEqual({ city: "Oslo" });
    expect(engine.requests.at(-1)?.constraint).toMatchObject({
      constraint: { type: "json-schema", schema: { required: ["city"] } },
      field: "output_config.format.schema",
    });
  });

  it("can be counted in tokens", async () => {
    const { input_tokens: tokens } = await client.messages.countTokens({
      model: ALIAS,
      messages: request.messages,
      system: "Be brief.",
    });
    expect(tokens).toBe("Be brief.Add".length);
  });
});

describe("the Anthropic SDK's tool runner", () => {
  const tool = (name: string, received: unknown[]) => ({
    type: "custom" as const,
    name,
    description: name,
    input_schema: { type: "object" as const, properties: {} },
    run: (input: unknown) => {
      received.push(input);
      return name === "add" ? "3.5" : [{ type: "text" as const, text: "said" }];
    },
    parse: (input: unknown) => input,
  });

  it.each([false, true])("calls tools until the model answers, streaming: %j", async (stream) => {
    const answers: Script[] = [calls, { parts: ["Done."] }];
    script = () => answers.shift() ?? { parts: [] };
    const received: unknown[] = [];
    const tools = [tool("add", received), tool("say", received)];
    const fields = { ...request, thinking: { type: "adaptive" as const }, tools };
    const runner = stream
      ? client.beta.messages.toolRunner({ ...fields, stream: true })
      : client.beta.messages.toolRunner(fields);
    const final = await runner.runUntilDone();
    expect(final.content).toMatchObject([{ type: "text", text: "Done." }]);
    expect(received).toEqual([{ a: 1, b: 2.5 }, JSON.parse(text)]);
    expect(engine.requests.at(-1)?.prompt).toMatchObject({
      messages: [
        { role: "user", content: "Add" },
        {
          role: "assistant",
          content: "Wait.",
          reasoning: "Two calls.",
          toolCalls: [
            { id: "call_1", name: "add", arguments: '{"a":1,"b":2.5}' },
            { id: "call_2", name: "say", arguments: JSON.stringify(JSON.parse(text)) },
          ],
        },
        { role: "tool", toolCallId: "call_1", content: "3.5" },
        { role: "tool", toolCallId: "call_2", content: "said" },
      ],
    });
  });
});

describe("the Anthropic SDK's errors", () => {
  const caught = (sent: Promise<unknown>) => sent.then(() => undefined).catch((e: unknown) => e);

  it.each([
    ["invalid_request_error", Anthropic.BadRequestError, { temperature: 9 }],
    ["not_found_error", Anthropic.NotFoundError, { model: "claude" }],
  ])("include %s", async (type, errorClass, fields) => {
    const error = await caught(client.messages.create({ ...request, ...fields }));
    expect(error).toBeInstanceOf(errorClass);
    expect(error).toMatchObject({ type, requestID: expect.stringMatching(/^req_/) });
  });

  it("include authentication_error for a wrong key in either header", async () => {
    for (const key of [{ apiKey: "x" }, { apiKey: null, authToken: "x" }]) {
      const stranger = new Anthropic({ baseURL: server.url, maxRetries: 0, ...key });
      const error = await caught(stranger.messages.create(request));
      expect(error).toBeInstanceOf(Anthropic.AuthenticationError);
      expect(error).toMatchObject({ type: "authentication_error" });
    }
  });

  it("include overloaded_error with status 529, which the SDK retries", async () => {
    script = () => ({ parts: [], ending: overload });
    const error = await caught(client.messages.create(request));
    expect(error).toMatchObject({ status: 529, type: "overloaded_error" });

    const answers: Script[] = [{ parts: [], ending: overload }, { parts: ["Done."] }];
    script = () => answers.shift() ?? { parts: [] };
    const message = await client.messages.create(request, { maxRetries: 1 });
    expect(message.content).toMatchObject([{ text: "Done." }]);
  });

  it("are thrown for an error event in the middle of a stream", async () => {
    script = () => ({ parts: ["a"], ending: new GgufdError("internal_error", "It broke.") });
    const error = await caught(client.messages.stream(request).finalMessage());
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(error).toMatchObject({
      type: "api_error",
      message: expect.stringContaining("It broke."),
    });
  });
});

describe("a request that the Anthropic SDK aborts", () => {
  it.each([false, true])("frees its slot, streaming: %j", async (stream) => {
    script = () => ({ parts: ["a"], ending: "never" });
    const before = engine.started.length;
    const controller = new AbortController();
    const { signal } = controller;
    const sent = stream
      ? client.messages.stream(request, { signal }).finalMessage()
      : client.messages.create(request, { signal });
    const outcome = expect(sent).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
    await eventually(() => expect(engine.started).toHaveLength(before + 1));
    controller.abort();
    await outcome;
    await eventually(() => expect(engine.cancelled).toContain(engine.started.at(-1)));
  });
});
