import { describe, expect, it } from "vitest";
import { StreamRecorder } from "../../bench/client/stream-recorder.js";
import { counts, record } from "./records.js";

const delta = (content: object) => JSON.stringify({ choices: [{ delta: content }] });
const DONE = "[DONE]";

/** The record of a stream that began at 100, its events one millisecond apart, and ended at 200. */
function recordOf(events: readonly string[]) {
  const recorder = new StreamRecorder(100);
  for (const [index, data] of events.entries()) recorder.onData(data, 101 + index);
  return recorder.end(200);
}

describe("StreamRecorder", () => {
  it("notes when pieces of text came: not the role, not the end, not the usage", () => {
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
        startedAt: 100,
        pieceTimes: [102, 104, 105],
        endedAt: 200,
        tokens: counts({ prompt: 9, completion: 3 }),
      }),
    );
  });

  it("reads cached tokens from the usage, and drafts from llama-server's timings", () => {
    const usage = {
      prompt_tokens: 9,
      completion_tokens: 3,
      prompt_tokens_details: { cached_tokens: 5 },
    };
    const timings = { cache_n: 4, draft_n: 8, draft_n_accepted: 6 };
    const events = [JSON.stringify({ choices: [], usage, timings }), DONE];
    expect(recordOf(events).tokens).toEqual({
      prompt: 9,
      cached: 5,
      completion: 3,
      drafted: 8,
      accepted: 6,
    });
  });

  it("takes cached tokens from the timings when the usage tells none", () => {
    const events = [
      JSON.stringify({ choices: [], timings: { cache_n: 4 } }),
      JSON.stringify({ choices: [], usage: { prompt_tokens: 9 } }),
      DONE,
    ];
    expect(recordOf(events).tokens).toEqual(counts({ prompt: 9, cached: 4 }));
  });

  it.each([
    ["a stream that is cut off", [delta({ content: "a" })], "the stream ended without [DONE]"],
    ["an error event", [JSON.stringify({ error: { message: "died" } })], "died"],
    ["an error event without words", [JSON.stringify({ error: {} })], "an error event"],
    ["what is no JSON", ["{", DONE], "an event that is no JSON object: {"],
    ["what is no object", ["null", DONE], "an event that is no JSON object: null"],
  ])("%s is an error", (_, events, reason) => {
    expect(recordOf(events).error).toBe(reason);
  });

  it("reads the usage of an answer that comes whole, which has no pieces", () => {
    const usage = { prompt_tokens: 9, completion_tokens: 3 };
    const body = JSON.stringify({ choices: [{ message: { content: "a" } }], usage });
    expect(new StreamRecorder(0).whole(body, 5)).toEqual(
      record({ endedAt: 5, tokens: counts({ prompt: 9, completion: 3 }) }),
    );
  });

  it("a stream that its client has left is no error", () => {
    const recorder = new StreamRecorder(0);
    recorder.onData(delta({ content: "a" }), 1);
    expect(recorder.leave(2)).toEqual(record({ pieceTimes: [1], endedAt: 2 }));
  });

  it("a failure keeps what came before it", () => {
    const recorder = new StreamRecorder(0);
    recorder.onData(delta({ content: "a" }), 1);
    expect(recorder.fail("socket hang up", 2)).toEqual(
      record({ pieceTimes: [1], endedAt: 2, error: "socket hang up" }),
    );
  });
});
