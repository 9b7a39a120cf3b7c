import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../bench/client/dialects/chat-completions.js";
import type { Dialect } from "../../bench/client/dialects/dialect.js";
import { messages } from "../../bench/client/dialects/messages.js";
import { ollamaChat, ollamaGenerate } from "../../bench/client/dialects/ollama.js";
import { responses } from "../../bench/client/dialects/responses.js";
import { textCompletions } from "../../bench/client/dialects/text-completions.js";
import { StreamRecorder } from "../../bench/client/stream-recorder.js";
import { counts } from "./records.js";

/** Streams of "ab" in two chunks, truncated at 2 tokens, with 5 prompt tokens of which 2 are cached. */
const streams: readonly (readonly [Dialect, events: readonly unknown[]])[] = [
  [
    textCompletions,
    [
      { choices: [{ text: "a", finish_reason: null }], usage: null },
      { choices: [{ text: "b", finish_reason: null }], usage: null },
      { choices: [{ text: "", finish_reason: "length" }], timings: { cache_n: 2 }, usage: null },
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } },
      "[DONE]",
    ],
  ],
  [
    responses,
    [
      { type: "response.created", response: { usage: null } },
      { type: "response.output_text.delta", delta: "a" },
      { type: "response.output_text.delta", delta: "b" },
      { type: "response.output_text.done", text: "ab" },
      {
        type: "response.incomplete",
        response: {
          incomplete_details: { reason: "max_output_tokens" },
          usage: { input_tokens: 5, input_tokens_details: { cached_tokens: 2 }, output_tokens: 2 },
        },
      },
    ],
  ],
  [
    messages,
    [
      {
        type: "message_start",
        message: { usage: { input_tokens: 3, cache_read_input_tokens: 2, output_tokens: 0 } },
      },
      { type: "content_block_start", content_block: { type: "text", text: "" } },
      { type: "ping" },
      { type: "content_block_delta", delta: { type: "text_delta", text: "a" } },
      { type: "content_block_delta", delta: { type: "text_delta", text: "b" } },
      { type: "content_block_stop" },
      { type: "message_delta", delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 2 } },
      { type: "message_stop" },
    ],
  ],
];

const ollamaEnd = { done: true, done_reason: "length", prompt_eval_count: 5, eval_count: 2 };
const uncachedStreams: readonly (readonly [Dialect, events: readonly unknown[]])[] = [
  [
    ollamaChat,
    [
      { message: { content: "a" }, done: false },
      { message: { content: "b" }, done: false },
      { message: { content: "" }, ...ollamaEnd },
    ],
  ],
  [
    ollamaGenerate,
    [
      { response: "a", done: false },
      { response: "b", done: false },
      { response: "", ...ollamaEnd },
    ],
  ],
];

/** Records a stream with one event per millisecond, starting at 1 ms. */
function read(dialect: Dialect, events: readonly unknown[]) {
  const recorder = new StreamRecorder(dialect, 0);
  for (const [index, event] of events.entries()) {
    recorder.onData(typeof event === "string" ? event : JSON.stringify(event), index + 1);
  }
  return recorder.end(100);
}

const named = (list: typeof streams) =>
  list.map(([dialect, events]) => [dialect.name, dialect, events] as const);
const all = [...streams, ...uncachedStreams];

describe("a benchmark stream", () => {
  it.each(named(all))(
    "of %s yields text, chunk times, token counts and the finish reason",
    (_, dialect, events) => {
      const { chunkTimesMs, text, tokens, finishReason, error } = read(dialect, events);
      expect(error).toBeUndefined();
      expect(text).toBe("ab");
      expect(chunkTimesMs).toHaveLength(2);
      const cached = streams.some(([other]) => other === dialect) ? 2 : 0;
      expect(tokens).toEqual(counts({ prompt: 5, cached, completion: 2 }));
      expect(finishReason).toBe("length");
    },
  );

  it.each(named(all))(
    "of %s is reported as truncated if its last event is missing",
    (_, dialect, events) => {
      expect(read(dialect, events.slice(0, -1)).error).toBe(
        `the stream ended without ${dialect.lastEvent}`,
      );
    },
  );

  it.each<[string, Dialect, unknown]>([
    ["completions", textCompletions, { error: { message: "died" } }],
    ["responses", responses, { type: "error", message: "died" }],
    [
      "failed responses",
      responses,
      { type: "response.failed", response: { error: { message: "died" } } },
    ],
    ["messages", messages, { type: "error", error: { message: "died" } }],
    ["Ollama", ollamaChat, { error: "died" }],
  ])("of %s yields the error event's message", (_, dialect, event) => {
    expect(read(dialect, [event]).error).toBe("died");
  });

  it("counts reasoning and tool calls as chunks", () => {
    expect(
      read(messages, [
        { type: "content_block_delta", delta: { type: "thinking_delta", thinking: "hm" } },
        { type: "content_block_delta", delta: { type: "input_json_delta", partial_json: "{}" } },
        { type: "message_stop" },
      ]),
    ).toMatchObject({ chunkTimesMs: [1, 2], text: "{}" });
    expect(
      read(responses, [
        { type: "response.reasoning_text.delta", delta: "hm" },
        { type: "response.function_call_arguments.delta", delta: "{}" },
        { type: "response.completed", response: {} },
      ]),
    ).toMatchObject({ chunkTimesMs: [1, 2], text: "{}", finishReason: "stop" });
    expect(
      read(ollamaChat, [
        { message: { content: "", thinking: "hm" } },
        { message: { content: "", tool_calls: [{}] } },
        { done: true, done_reason: "stop" },
      ]).chunkTimesMs,
    ).toEqual([1, 2]);
  });
});

describe("a benchmark request", () => {
  const request = {
    messages: [{ role: "user", content: "hi" }],
    maxTokens: 7,
    members: { store: false },
  } as const;
  const asks = [{ role: "user", content: "hi" }];

  it.each<[Dialect, body: object]>([
    [chatCompletions, { messages: asks, max_tokens: 7, temperature: 0, ignore_eos: true }],
    [textCompletions, { prompt: "hi", max_tokens: 7, temperature: 0, ignore_eos: true }],
    [responses, { input: asks, max_output_tokens: 7, temperature: 0 }],
    [messages, { messages: asks, max_tokens: 7, temperature: 0 }],
    [ollamaChat, { messages: asks, options: { num_predict: 7, temperature: 0 } }],
    [ollamaGenerate, { prompt: "hi", options: { num_predict: 7, temperature: 0 } }],
  ])("in the dialect $name requests the same streamed answer", (dialect, body) => {
    expect(dialect.toBody(request, "m")).toMatchObject({
      ...{ model: "m", stream: true, store: false },
      ...body,
    });
  });
});
