import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../bench/client/dialects/chat-completions.js";
import { StreamRecorder } from "../../bench/client/stream-recorder.js";
import { counts, record } from "./records.js";

const delta = (content: object) => JSON.stringify({ choices: [{ delta: content }] });
const DONE = "[DONE]";

/** The record of a stream that started at 100 ms, with one event per millisecond, until 200 ms. */
function recordOf(events: readonly string[]) {
  const recorder = new StreamRecorder(chatCompletions, 100);
  for (const [index, data] of events.entries()) recorder.onData(data, 101 + index);
  return recorder.end(200);
}

describe("StreamRecorder", () => {
  it("records arrival times only for chunks with text", () => {
    const events = [
      delta({ role: "assistant", content: null }),
      delta({ content: "a" }),
      delta({ content: "" }),
      delta({ reasoning_content: "b" }),
      delta({ tool_calls: [{ index: 0 }] }),
      delta({}),
      JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 3 } }),
      DONE,
    ];
    expect(recordOf(events)).toEqual(
      record({
        startedAtMs: 100,
        chunkTimesMs: [102, 104, 105],
        endedAtMs: 200,
        tokens: counts({ prompt: 9, completion: 3 }),
        text: "a",
      }),
    );
  });

  it("keeps the text, the arguments of tool calls and the finish reason", () => {
    const call = (args: string) => delta({ tool_calls: [{ function: { arguments: args } }] });
    const ending = JSON.stringify({ choices: [{ delta: {}, finish_reason: "tool_calls" }] });
    const { text, finishReason } = recordOf([
      delta({ content: "a" }),
      call('{"b":'),
      call("1}"),
      ending,
      DONE,
    ]);
    expect(text).toBe('a{"b":1}');
    expect(finishReason).toBe("tool_calls");
  });

  it("reads cached tokens from the usage, and draft and forced tokens from the timings", () => {
    const usage = {
      prompt_tokens: 9,
      completion_tokens: 3,
      prompt_tokens_details: { cached_tokens: 5 },
    };
    const timings = { cache_n: 4, draft_n: 8, draft_n_accepted: 6, forced_n: 2 };
    const events = [JSON.stringify({ choices: [], usage, timings }), DONE];
    expect(recordOf(events).tokens).toEqual({
      prompt: 9,
      cached: 5,
      completion: 3,
      drafted: 8,
      accepted: 6,
      forced: 2,
    });
  });

  it("reads cached tokens from the timings if the usage lacks them", () => {
    const events = [
      JSON.stringify({ choices: [], timings: { cache_n: 4 } }),
      JSON.stringify({ choices: [], usage: { prompt_tokens: 9 } }),
      DONE,
    ];
    expect(recordOf(events).tokens).toEqual(counts({ prompt: 9, cached: 4 }));
  });

  it.each([
    ["a truncated stream", [delta({ content: "a" })], "the stream ended without [DONE]"],
    ["an error event", [JSON.stringify({ error: { message: "died" } })], "died"],
    ["an error event without a message", [JSON.stringify({ error: {} })], "an error event"],
    ["invalid JSON", ["{", DONE], "an event that is not a JSON object: {"],
    ["JSON other than an object", ["null", DONE], "an event that is not a JSON object: null"],
  ])("reports %s as an error", (_, events, reason) => {
    expect(recordOf(events).error).toBe(reason);
  });

  it("counts error events, except for a truncated stream", () => {
    const died = JSON.stringify({ error: { message: "died" } });
    expect(recordOf([delta({ content: "a" }), died])).toMatchObject({ errorEvents: 1 });
    expect(recordOf([died, died])).toMatchObject({ errorEvents: 2, error: "died" });
    expect(recordOf([delta({ content: "a" })])).not.toHaveProperty("errorEvents");
  });

  it("reads the usage of a non-streamed response, which has no chunks", () => {
    const usage = { prompt_tokens: 9, completion_tokens: 3 };
    const body = JSON.stringify({ choices: [{ message: { content: "a" } }], usage });
    expect(new StreamRecorder(chatCompletions, 0).endWithBody(body, 5)).toEqual(
      record({ endedAtMs: 5, tokens: counts({ prompt: 9, completion: 3 }), text: "a" }),
    );
  });

  it("reports no error for a stream that the client cancelled", () => {
    const recorder = new StreamRecorder(chatCompletions, 0);
    recorder.onData(delta({ content: "a" }), 1);
    expect(recorder.cancel(2)).toEqual(record({ chunkTimesMs: [1], endedAtMs: 2, text: "a" }));
  });

  it("keeps the chunks received before a failure", () => {
    const recorder = new StreamRecorder(chatCompletions, 0);
    recorder.onData(delta({ content: "a" }), 1);
    expect(recorder.fail("socket hang up", 2)).toEqual(
      record({ chunkTimesMs: [1], endedAtMs: 2, text: "a", error: "socket hang up" }),
    );
  });
});
