import { describe, expect, it } from "vitest";
import { chatRequest, generateRequest } from "../../../src/api/ollama/schema.js";
import {
  modelChangeOfChat,
  modelChangeOfGenerate,
  toChatGeneration,
  toTextGeneration,
} from "../../../src/api/ollama/translate.js";
import type { ChatMessage, GenerationRequest } from "../../../src/core/generation-request.js";
import { refusal } from "../../support/refusal.js";

const HELLO = [{ role: "user", content: "Hello" }];

function chat(body: object): GenerationRequest {
  return toChatGeneration(chatRequest.parse({ messages: HELLO, ...body }), "id");
}

function generate(body: object): GenerationRequest {
  return toTextGeneration(generateRequest.parse({ prompt: "Hello", ...body }), "id");
}

function messagesOf({ prompt }: GenerationRequest): readonly ChatMessage[] {
  if (prompt.type !== "chat") throw new Error("expected a conversation");
  return prompt.messages;
}

describe("a translated /api/chat request", () => {
  it("keeps the roles of Ollama's messages", () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello", thinking: "A greeting." },
      { role: "user", content: "Bye" },
    ];
    expect(messagesOf(chat({ messages }))).toEqual([
      messages[0],
      messages[1],
      { role: "assistant", content: "Hello", reasoning: "A greeting." },
      messages[3],
    ]);
  });

  it("treats null as absent in every optional field", () => {
    const nulls = {
      model: null,
      stream: null,
      tools: null,
      format: null,
      think: null,
      keep_alive: null,
      logprobs: null,
      top_logprobs: null,
    };
    const message = {
      role: "user",
      content: "Hello",
      thinking: null,
      images: null,
      tool_calls: null,
      tool_name: null,
      tool_call_id: null,
    };
    const options = { temperature: null, stop: null, num_predict: null, seed: null, top_k: null };
    expect(chat({ ...nulls, messages: [message], options })).toEqual(chat({}));
    expect(chat({ ...nulls, options: null })).toEqual(chat({}));
  });

  it("passes tools to the engine", () => {
    const parameters = { type: "object", properties: { city: { type: "string" } } };
    const weather = { name: "weather", description: "Tells it", parameters };
    const { prompt } = chat({
      tools: [
        { type: "function", function: weather },
        { function: { name: "now", description: null, parameters: null } },
      ],
    });
    expect(prompt).toMatchObject({ tools: [weather, { name: "now" }] });
  });

  it.each([
    [undefined, {}],
    [true, { enable_thinking: true }],
    [false, { enable_thinking: false }],
    ["low", { enable_thinking: true, reasoning_effort: "low" }],
    ["high", { enable_thinking: true, reasoning_effort: "high" }],
  ])("sets the template's thinking variables: %j", (think, templateVariables) => {
    expect(chat({ think }).prompt).toMatchObject({ templateVariables });
    expect(generate({ think }).prompt).toMatchObject({ templateVariables });
  });

  it.each([
    [{ format: "" }, undefined],
    [{ format: "json" }, { type: "object" }],
    [{ format: { type: "object", maxProperties: 1 } }, { type: "object", maxProperties: 1 }],
  ])("is constrained to a format: %j", (body, schema) => {
    const constraint = schema && { field: "format", constraint: { type: "json-schema", schema } };
    expect(chat(body).constraint).toEqual(constraint);
    expect(generate(body).constraint).toEqual(constraint);
  });

  it.each([
    [{}, undefined],
    [{ logprobs: false, top_logprobs: 3 }, undefined],
    [{ logprobs: true }, 0],
    [{ logprobs: true, top_logprobs: 3 }, 3],
  ])("requests log-probabilities: %j", (body, top) => {
    expect(chat(body).topLogProbabilities).toBe(top);
  });
});

describe("translated tool calls and results", () => {
  const calls = (...names: readonly string[]) => ({
    role: "assistant",
    content: "",
    tool_calls: names.map((name) => ({ function: { name, arguments: { of: name } } })),
  });
  const result = (content: string, fields: object = {}) => ({ role: "tool", content, ...fields });

  /** Formats each result's content with the name and arguments of the matched call. */
  function answered(messages: readonly object[]): string[] {
    const translated = messagesOf(chat({ messages }));
    const made = translated.flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []) : [],
    );
    return translated.flatMap((message) => {
      if (message.role !== "tool") return [];
      const call = made.find(({ id }) => id === message.toolCallId);
      return [`${message.content}: ${message.name} ${call?.arguments}`];
    });
  }

  it("are matched by order", () => {
    expect(answered([calls("a", "b"), result("1"), result("2")])).toEqual([
      '1: a {"of":"a"}',
      '2: b {"of":"b"}',
    ]);
  });

  it("are matched by the tool's name", () => {
    const results = [result("2", { tool_name: "b" }), result("1", { tool_name: "a" })];
    expect(answered([calls("a", "b"), ...results])).toEqual(['2: b {"of":"b"}', '1: a {"of":"a"}']);
  });

  it("are matched by the call's id", () => {
    const call = (id: string) => ({ id, function: { name: "a", arguments: { id } } });
    const calling = { role: "assistant", tool_calls: [call("x"), call("y")] };
    const results = [result("2", { tool_call_id: "y" }), result("1", { tool_call_id: "x" })];
    expect(answered([calling, ...results])).toEqual(['2: a {"id":"y"}', '1: a {"id":"x"}']);
  });

  it("are matched only once if calls share an id or a name", () => {
    const call = (id: string, name: string) => ({ id, function: { name } });
    const calling = {
      role: "assistant",
      tool_calls: [call("x", "a"), call("x", "b"), call("y", "a")],
    };
    const byId = (content: string) => result(content, { tool_call_id: "x" });
    const results = [byId("1"), byId("2"), result("3", { tool_name: "a" }), byId("4")];
    const [, ...answers] = messagesOf(chat({ messages: [calling, ...results] }));
    expect(answers).toEqual([
      { role: "tool", content: "1", toolCallId: "x", name: "a" },
      { role: "tool", content: "2", toolCallId: "x", name: "b" },
      { role: "tool", content: "3", toolCallId: "y", name: "a" },
      { role: "tool", content: "4", toolCallId: "x", name: undefined },
    ]);
  });

  it("are matched within one assistant message, with ids that differ between messages", () => {
    const conversation = [calls("a"), result("1"), calls("a"), result("2")];
    const ids = messagesOf(chat({ messages: conversation })).map((message) =>
      message.role === "tool" ? message.toolCallId : "",
    );
    expect(ids[1]).toMatch(/^\w{9}$/);
    expect(ids[3]).toMatch(/^\w{9}$/);
    expect(ids[3]).not.toBe(ids[1]);
  });

  it("may include a result without a call", () => {
    const messages = messagesOf(chat({ messages: [result("1"), result("2", { tool_name: "b" })] }));
    expect(messages).toEqual([
      { role: "tool", content: "1", toolCallId: undefined, name: undefined },
      { role: "tool", content: "2", toolCallId: undefined, name: "b" },
    ]);
  });

  it("have empty arguments if the call has none", () => {
    const calling = { role: "assistant", tool_calls: [{ function: { name: "now" } }] };
    expect(messagesOf(chat({ messages: [calling] }))[0]).toMatchObject({
      toolCalls: [{ name: "now", arguments: "{}" }],
    });
  });
});

describe("translated options", () => {
  it("set the sampling parameters of the same name", () => {
    const options = {
      temperature: 0.3,
      top_k: 7,
      top_p: 0.8,
      min_p: 0.1,
      seed: 42,
      repeat_penalty: 1.2,
      repeat_last_n: 32,
      presence_penalty: 0.5,
      frequency_penalty: -0.5,
      typical_p: 0.9,
      mirostat: 2,
      mirostat_tau: 3,
      mirostat_eta: 0.2,
    };
    expect(chat({ options }).sampling).toEqual({
      temperature: 0.3,
      topK: 7,
      topP: 0.8,
      minP: 0.1,
      seed: 42,
      repeatPenalty: 1.2,
      repeatLastN: 32,
      presencePenalty: 0.5,
      frequencyPenalty: -0.5,
      typicalP: 0.9,
      mirostat: 2,
      mirostatEnt: 3,
      mirostatLr: 0.2,
    });
    expect(generate({ options }).sampling).toEqual(chat({ options }).sampling);
  });

  it.each([
    [{ top_k: -1 }, { topK: -1 }],
    [{ seed: -1 }, { seed: undefined }],
    [{ repeat_last_n: -1 }, { repeatLastN: -1 }],
    [{ repeat_last_n: 0 }, { repeatLastN: 0 }],
    [{ typical_p: 1.5 }, { typicalP: 1.5 }],
    [{ mirostat: 1 }, { mirostat: 1, mirostatEnt: undefined, mirostatLr: undefined }],
    [
      { mirostat: 0, mirostat_tau: 3, mirostat_eta: 0.2 },
      { mirostat: 0, mirostatEnt: 3, mirostatLr: 0.2 },
    ],
    [{}, { mirostat: undefined }],
  ])("interpret special values: %j", (options, sampling) => {
    expect(chat({ options }).sampling).toMatchObject(sampling);
  });

  it.each([
    [5, 5],
    [0, Number.POSITIVE_INFINITY],
    [-1, Number.POSITIVE_INFINITY],
    [-2, Number.POSITIVE_INFINITY],
    [undefined, undefined],
  ])("limit the number of tokens: num_predict %j", (limit, maxTokens) => {
    expect(chat({ options: { num_predict: limit } }).stopping.maxTokens).toBe(maxTokens);
  });

  it.each([
    ["END", ["END"]],
    [
      ["a", "", "b"],
      ["a", "b"],
    ],
    ["", []],
  ])("set the stop strings: %j", (stop, stops) => {
    expect(chat({ options: { stop } }).stopping.stop).toEqual(stops);
  });

  it("ignore hardware options and unknown options", () => {
    const ignored = {
      num_ctx: 8192,
      num_gpu: 99,
      num_thread: 4,
      use_mmap: true,
      numa: false,
      x: 1,
    };
    expect(chat({ options: ignored })).toEqual(chat({ options: {} }));
  });
});

describe("a translated /api/generate request", () => {
  it("has a system message and a user message", () => {
    expect(messagesOf(generate({ system: "Be brief." }))).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ]);
    expect(messagesOf(generate({ system: "" }))).toEqual(HELLO);
  });

  it("passes a raw prompt to the engine unchanged", () => {
    expect(generate({ raw: true }).prompt).toEqual({ type: "text", text: "Hello" });
  });

  it("becomes an infill prompt if it has a suffix", () => {
    const gap = { type: "infill", prefix: "Hello", suffix: "world", suffixField: "suffix" };
    expect(generate({ suffix: "world" }).prompt).toEqual(gap);
  });

  it.each([
    [{ raw: true, system: "Be brief." }, "system"],
    [{ raw: true, suffix: "world" }, "suffix"],
    [{ suffix: "world", system: "Be brief." }, "system"],
  ])("is rejected for a field that requires a chat template: %j", (body, field) => {
    const { code, param } = refusal(() => generate(body));
    expect([code, param]).toEqual(["invalid_request", field]);
  });
});

describe("modelChangeOfChat and modelChangeOfGenerate", () => {
  const asked = (body: object) => [
    modelChangeOfChat(chatRequest.parse(body)),
    modelChangeOfGenerate(generateRequest.parse(body)),
  ];

  it.each([undefined, "5m", "-1", 300, -1, 0.5, "1h0m"])(
    "load the model for an empty request: keep_alive %j",
    (keep_alive) => {
      const change = ["load", "load"];
      expect(asked({ keep_alive })).toEqual(change);
      expect(asked({ keep_alive, messages: [], prompt: "" })).toEqual(change);
    },
  );

  it.each([0, "0", "0s", "0h0m", "-0s"])(
    "unload the model for an empty request: keep_alive %j",
    (keep_alive) => {
      expect(asked({ keep_alive })).toEqual(["unload", "unload"]);
    },
  );

  it("change nothing for a request with messages, a prompt or a suffix", () => {
    expect(asked({ messages: HELLO, prompt: "Hello", keep_alive: 0 })).toEqual([
      undefined,
      undefined,
    ]);
    expect(asked({ suffix: "world" })).toEqual(["load", undefined]);
  });
});
