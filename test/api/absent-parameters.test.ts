import { expect, it } from "vitest";
import { withDefaults } from "../../src/core/sampling-table.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { buildTestApp } from "../support/test-app.js";

const model = "scripted";
const messages = [{ role: "user", content: "Hi" }];

/** Model defaults, which every dialect uses unless a request overrides them. */
const ofModel = { temperature: 0.61, topP: 0.62, topK: 63, minP: 0.064, repeatPenalty: 1.05 };

/** Every generating route: its smallest request, and one that sets the temperature. */
const routes: readonly [url: string, smallest: object, hot: object][] = [
  ["/v1/chat/completions", { model, messages }, { temperature: 0.1 }],
  ["/v1/completions", { model, prompt: "Hi" }, { temperature: 0.1 }],
  ["/v1/responses", { model, input: "Hi" }, { temperature: 0.1 }],
  ["/v1/messages", { model, messages, max_tokens: 5 }, { temperature: 0.1 }],
  ["/api/chat", { model, messages, stream: false }, { options: { temperature: 0.1 } }],
  ["/api/generate", { model, prompt: "Hi", stream: false }, { options: { temperature: 0.1 } }],
  ["/completion", { prompt: "Hi" }, { temperature: 0.1 }],
  ["/infill", { input_prefix: "a", input_suffix: "b" }, { temperature: 0.1 }],
];

async function received(url: string, payload: object) {
  const script = () => ({ parts: ["ok"] });
  const engine = new ScriptedEngine(script, { rawScript: script });
  const { app } = buildTestApp(engine);
  const response = await app.inject({ method: "POST", url, payload });
  expect(response.statusCode, response.body).toBe(200);
  const request = [...engine.requests, ...engine.rawRequests][0];
  if (request === undefined) throw new Error("the engine received nothing");
  return request;
}

it.each(routes)(
  "a request to %s uses the model's defaults for absent parameters only",
  async (url, smallest, hot) => {
    const { sampling } = await received(url, smallest);
    expect(withDefaults(sampling, ofModel)).toMatchObject(ofModel);
    const told = await received(url, { ...smallest, ...hot });
    expect(withDefaults(told.sampling, ofModel)).toMatchObject({ ...ofModel, temperature: 0.1 });
  },
);

it.each(routes.filter(([url]) => url !== "/v1/messages"))(
  "a request to %s without a token limit uses the model's default limit",
  async (url, smallest) => {
    const { stopping } = await received(url, smallest);
    expect(stopping.maxTokens).toBeUndefined();
    expect(stopping.usualMaxTokens).toBe(url === "/v1/completions" ? 16 : undefined);
  },
);
