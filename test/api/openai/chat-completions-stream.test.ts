import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import { describe, expect, it } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { eventData, eventJson } from "../../support/server-sent-events.js";
import { ALIAS, buildTestApp } from "../../support/test-app.js";

const messages = [{ role: "user", content: "Hi" }];

function stream(script: Script, fields: object = {}) {
  const { app } = buildTestApp(new ScriptedEngine(() => script));
  const payload = { messages, stream: true, ...fields };
  return app.inject({ method: "POST", url: "/v1/chat/completions", payload });
}

describe("a streamed chat completion", () => {
  it("is a stream of server-sent events that ends with [DONE]", async () => {
    const response = await stream({ parts: ["Hel", "lo"] });
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      "content-type": expect.stringMatching(/^text\/event-stream/),
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      "x-request-id": expect.any(String),
      "access-control-allow-origin": "*",
    });
    expect(response.body.endsWith("}\n\ndata: [DONE]\n\n")).toBe(true);
    for (const event of response.body.split("\n\n").filter(Boolean)) {
      expect(event).toMatch(/^data: \S/);
    }
  });

  it("reports prompt progress and per-chunk timings as llama-server does", async () => {
    const timings = {
      prefillMs: 4,
      decodeMs: 2,
      draftTokens: 0,
      acceptedDraftTokens: 0,
      forcedTokens: 0,
    };
    const parts = [
      { processedTokens: 1, elapsedMs: 1.5, timings },
      { text: "Hel", timings },
    ];
    const { body } = await stream({ parts }, { return_progress: true, timings_per_token: true });
    const [progress, text, end] = eventJson<object>(body);
    expect(progress).toMatchObject({
      object: "chat.completion.chunk",
      choices: [],
      prompt_progress: { total: 2, cache: 1, processed: 1, time_ms: 1.5 },
      timings: { cache_n: 1, prompt_n: 0, prompt_ms: 0, prompt_per_token_ms: 0 },
    });
    expect(text).toMatchObject({
      choices: [{ delta: { role: "assistant", content: "Hel" } }],
      timings: { prompt_ms: 4, predicted_ms: 2 },
    });
    expect(end).toMatchObject({ choices: [{ finish_reason: "stop" }] });
  });

  it("sends one chunk for each delta, with the role in the first and an empty delta at the end", async () => {
    const { body } = await stream({ parts: ["Hel", "lo"], ending: "length" });
    const chunks = eventJson<ChatCompletionChunk>(body);
    expect(chunks.map(({ choices }) => choices)).toEqual([
      [
        {
          index: 0,
          delta: { role: "assistant", content: "Hel" },
          logprobs: null,
          finish_reason: null,
        },
      ],
      [{ index: 0, delta: { content: "lo" }, logprobs: null, finish_reason: null }],
      [{ index: 0, delta: {}, logprobs: null, finish_reason: "length" }],
    ]);
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({
        id: chunks[0]?.id,
        created: chunks[0]?.created,
        object: "chat.completion.chunk",
        model: ALIAS,
        system_fingerprint: "ggufd_scripted",
      });
      expect(chunk).not.toHaveProperty("usage");
    }
  });

  it("sends the role, but no empty content, when nothing was generated", async () => {
    const { body } = await stream({ parts: [] });
    const deltas = eventJson<ChatCompletionChunk>(body).map(({ choices }) => choices[0]?.delta);
    expect(deltas).toEqual([{ role: "assistant" }, {}]);
  });

  it("adds a usage chunk without choices when requested", async () => {
    const { body } = await stream(
      { parts: ["a", "b"] },
      { stream_options: { include_usage: true } },
    );
    const chunks = eventJson<ChatCompletionChunk>(body);
    expect(chunks.slice(0, -1).map(({ usage }) => usage)).toEqual([null, null, null]);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
    });
  });

  it("reports the usage so far in every chunk when continuous usage is requested", async () => {
    const { body } = await stream(
      { parts: ["a", "b"] },
      { stream_options: { include_usage: true, continuous_usage_stats: true } },
    );
    const counts = eventJson<ChatCompletionChunk>(body).map(
      ({ usage }) => usage?.completion_tokens,
    );
    expect(counts).toEqual([1, 2, 2, 2]);
  });

  it("returns the HTTP status of an error that occurs before the first token", async () => {
    const tooLong = await stream(
      { parts: [] },
      { messages: [{ role: "user", content: "x".repeat(200) }] },
    );
    expect(tooLong.statusCode).toBe(400);
    expect(tooLong.json()).toMatchObject({ error: { code: "context_length_exceeded" } });

    const failed = await stream({
      parts: [],
      ending: new GgufdError("internal_error", "It broke."),
    });
    expect(failed.statusCode).toBe(500);
    expect(failed.headers["content-type"]).toMatch(/^application\/json/);
    expect(failed.json()).toMatchObject({ error: { message: "It broke." } });
  });

  it("ends with one error event and no [DONE] if an error occurs after the first token", async () => {
    const { body, statusCode } = await stream({
      parts: ["a"],
      ending: new GgufdError("internal_error", "It broke."),
    });
    expect(statusCode).toBe(200);
    const events = eventData(body);
    expect(events).toHaveLength(2);
    expect(JSON.parse(events[1] ?? "")).toMatchObject({
      error: { message: "It broke.", code: "internal_error", request_id: expect.any(String) },
    });
  });
});
