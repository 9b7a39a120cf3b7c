import { expect, it, onTestFinished } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

function serve() {
  const engine = new ScriptedEngine(() => ({ parts: ["Hello"] }));
  const { app } = buildTestApp(engine);
  onTestFinished(() => app.close());
  const post = (path: string, payload: object) =>
    app.inject({ method: "POST", url: `/v1${path}`, payload });
  return { engine, post };
}

const fields = {
  ...{ temperature: 0.5, top_p: 0.9, top_k: -1, min_p: 0.1, typical_p: 0.7, top_n_sigma: 1.5 },
  ...{ seed: 42, presence_penalty: 0.1, frequency_penalty: 0.2, repeat_penalty: 1.1 },
  ...{ repeat_last_n: -1, dry_multiplier: 0.8, dry_base: 1.5, dry_allowed_length: 3 },
  ...{ dry_penalty_last_n: 64, dry_sequence_breakers: ["\n"], xtc_probability: 0.5 },
  ...{ xtc_threshold: 0.2, dynatemp_range: 0.3, dynatemp_exponent: 2, mirostat: 2 },
  ...{ mirostat_tau: 4, mirostat_eta: 0.2, adaptive_target: 0.3, adaptive_decay: 0.8 },
  ...{ min_keep: 2, samplers: ["top_k", "temperature"], logit_bias: { "5": -100 } },
};

it("a response uses the same sampling fields as a chat completion", async () => {
  const { engine, post } = serve();
  await post("/chat/completions", { messages: [{ role: "user", content: "Hi" }], ...fields });
  const { json } = await post("/responses", { input: "Hi", ...fields });
  expect(json()).toMatchObject({ status: "completed", temperature: 0.5, top_p: 0.9 });
  const [completion, response] = engine.requests.map(({ sampling }) => sampling);
  expect(response).toEqual(completion);
  expect(response).toMatchObject({ topK: -1, seed: 42, repeatPenalty: 1.1, minKeep: 2 });
});

it("a response without sampling fields uses the model's defaults", async () => {
  const { engine, post } = serve();
  await post("/responses", { input: "Hi", top_k: null });
  const sampling = engine.requests[0]?.sampling ?? {};
  expect(Object.values(sampling).filter((value) => value !== undefined)).toEqual([]);
});

it.each([{ seed: 1.5 }, { min_p: 2 }, { repeat_penalty: 0 }, { samplers: ["none"] }])(
  "an invalid sampling field is rejected: %j",
  async (invalid) => {
    const { engine, post } = serve();
    const refused = await post("/responses", { input: "Hi", ...invalid });
    expect(refused.statusCode).toBe(400);
    expect(refused.json().error.param).toContain(Object.keys(invalid)[0]);
    expect(engine.requests).toEqual([]);
  },
);
