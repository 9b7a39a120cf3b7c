import { expect, it } from "vitest";
import type { TextCompletionChunk } from "../../../../src/api/openai/completions/stream.js";
import { GgufdError } from "../../../../src/core/errors.js";
import type { RawGenerationRequest } from "../../../../src/core/generation-request.js";
import { type Script, ScriptedEngine } from "../../../support/scripted-engine.js";
import { eventData, eventJson } from "../../../support/server-sent-events.js";
import { buildTestApp } from "../../../support/test-app.js";

async function stream(
  payload: object,
  rawScript: (request: RawGenerationRequest, choice: number) => Script,
) {
  const engine = new ScriptedEngine(
    () => {
      throw new Error("expected a prompt without messages");
    },
    { rawScript, slots: 4 },
  );
  const { app } = buildTestApp(engine);
  const url = "/v1/completions";
  const { body } = await app.inject({ method: "POST", url, payload: { stream: true, ...payload } });
  return { body, chunks: eventJson<TextCompletionChunk>(body) };
}

const choicesOf = (chunks: readonly TextCompletionChunk[]) =>
  chunks.flatMap(({ choices }) => choices);

it("a streamed completion has one chunk for each text and one with the finish reason", async () => {
  const { body, chunks } = await stream({ prompt: "Once", echo: true }, () => ({
    parts: [" upon", ' a "\n'],
    ending: "length",
  }));
  expect(choicesOf(chunks)).toEqual([
    { index: 0, text: "Once upon", logprobs: null, finish_reason: null },
    { index: 0, text: ' a "\n', logprobs: null, finish_reason: null },
    { index: 0, text: "", logprobs: null, finish_reason: "length" },
  ]);
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  expect(chunks.at(-1)).toMatchObject({ timings: { predicted_n: 2 } });
  expect(eventData(body).at(-1)).toBe("[DONE]");
  expect(chunks[0]).not.toHaveProperty("usage");
});

it("a streamed completion echoes the prompt even if nothing was generated", async () => {
  const { chunks } = await stream({ prompt: "Once", echo: true }, () => ({ parts: [] }));
  expect(choicesOf(chunks)).toEqual([
    { index: 0, text: "Once", logprobs: null, finish_reason: "stop" },
  ]);
});

it("a streamed completion of several prompts has consecutive indexes and text offsets", async () => {
  const scored = (text: string) => ({
    text,
    scores: [{ id: 1, bytes: [...Buffer.from(text)], logProbability: -1, top: [] }],
  });
  const { chunks } = await stream({ prompt: ["a", "bb"], n: 2, logprobs: 0 }, (_, choice) => ({
    parts: [scored("x"), scored(`${choice}`)],
  }));
  const joined = [0, 1, 2, 3].map((index) => {
    const own = choicesOf(chunks).filter((choice) => choice.index === index);
    return {
      text: own.map(({ text }) => text).join(""),
      offsets: own.flatMap(({ logprobs }) => logprobs?.text_offset ?? []),
    };
  });
  expect(joined).toEqual(["x0", "x1", "x0", "x1"].map((text) => ({ text, offsets: [0, 1] })));
});

it.each([
  [{ include_usage: true }, [null, null, { prompt_tokens: 1, completion_tokens: 1 }]],
  [
    { continuous_usage_stats: true },
    [{ completion_tokens: 1 }, { completion_tokens: 1 }, { completion_tokens: 1 }],
  ],
])("a streamed completion includes the usage on request: %j", async (options, usages) => {
  const { chunks } = await stream({ prompt: "a", stream_options: options }, () => ({
    parts: ["b"],
  }));
  expect(chunks.map(({ usage }) => usage)).toMatchObject(usages);
  expect(chunks.at(-1)?.choices).toEqual([]);
  expect(chunks.at(-1)).toMatchObject({ timings: { prompt_n: 0, predicted_n: 1 } });
});

it("a streamed completion ends with an error event if an error occurs after the first chunk", async () => {
  const error = new GgufdError("model_unavailable", "it died");
  const { body } = await stream({ prompt: "a" }, () => ({ parts: ["b"], ending: error }));
  const data = eventData(body);
  expect(JSON.parse(data.at(-1) ?? "")).toMatchObject({
    error: { code: "model_unavailable", message: "it died" },
  });
  expect(data).toHaveLength(2);
});
