import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import { describe, expect, it } from "vitest";
import type { PredictionUsage } from "../../../src/core/generation-event.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { eventJson } from "../../support/server-sent-events.js";
import { buildTestApp } from "../../support/test-app.js";

function serve(predictions: readonly PredictionUsage[] = []) {
  const engine = new ScriptedEngine((_, choice) => {
    const prediction = predictions[choice];
    return { parts: ["a", "b", "c"], ...(prediction && { prediction }) };
  });
  const { app } = buildTestApp(engine);
  const messages = [{ role: "user", content: "Hi" }];
  const post = (payload: object) =>
    app.inject({
      method: "POST",
      url: "/v1/chat/completions",
      payload: { messages, prediction: { type: "content", content: "abc" }, ...payload },
    });
  return { engine, post };
}

const details = (accepted: number, rejected: number) => ({
  reasoning_tokens: 0,
  accepted_prediction_tokens: accepted,
  rejected_prediction_tokens: rejected,
});

describe("prediction tokens in the usage", () => {
  it("equal the engine's counts", async () => {
    const { post } = serve([{ acceptedTokens: 2, rejectedTokens: 7 }]);
    const { usage } = (await post({})).json<ChatCompletion>();
    expect(usage?.completion_tokens_details).toEqual(details(2, 7));
    expect(usage?.completion_tokens).toBe(3);
  });

  it("are zero without a prediction", async () => {
    const { usage } = (await serve().post({ prediction: null })).json<ChatCompletion>();
    expect(usage?.completion_tokens_details).toEqual(details(0, 0));
  });

  it("are summed over all choices", async () => {
    const { post } = serve([
      { acceptedTokens: 2, rejectedTokens: 7 },
      { acceptedTokens: 3, rejectedTokens: 0 },
    ]);
    const { usage } = (await post({ n: 2 })).json<ChatCompletion>();
    expect(usage?.completion_tokens_details).toEqual(details(5, 7));
  });

  it.each([
    [{ include_usage: true }, [undefined, undefined, undefined, undefined, details(2, 7)]],
    [
      { include_usage: true, continuous_usage_stats: true },
      Array.from({ length: 5 }, () => details(2, 7)),
    ],
  ])("are streamed with %j", async (options, expected) => {
    const { post } = serve([{ acceptedTokens: 2, rejectedTokens: 7 }]);
    const { body } = await post({ stream: true, stream_options: options });
    const usages = eventJson<ChatCompletionChunk>(body).map(({ usage }) => usage);
    expect(usages.map((usage) => usage?.completion_tokens_details)).toEqual(expected);
  });
});
