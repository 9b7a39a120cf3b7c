import { describe, expect, it } from "vitest";
import { SAMPLERS } from "../../../src/core/samplers.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

const messages = [{ role: "user", content: "Hi" }];
const answered = [...messages, { role: "assistant", content: "a" }];

function serve() {
  const engine = new ScriptedEngine(() => ({ parts: ["Hello"] }));
  const { app } = buildTestApp(engine);
  const post = (payload: object) =>
    app.inject({ method: "POST", url: "/v1/chat/completions", payload });
  return { engine, post };
}

describe("sampling parameters of llama-server and vLLM", () => {
  it("are ignored if they only tune those servers or have no effect", async () => {
    const { post, engine } = serve();
    await post({ messages });
    const response = await post({
      messages,
      verbosity: "low",
      safety_identifier: "s",
      prompt_cache_key: "k",
      prompt_cache_retention: "24h",
      modalities: ["text"],
      n_keep: -1,
      n_discard: 0,
      n_probs: 0,
      post_sampling_probs: false,
      t_max_predict_ms: -1,
      cache_prompt: true,
      id_slot: 3,
      timings_per_token: true,
      return_tokens: true,
      skip_special_tokens: true,
      spaces_between_special_tokens: true,
      include_stop_str_in_output: false,
      bad_words: [],
      length_penalty: 1,
      use_beam_search: false,
      echo: false,
      best_of: 1,
      add_generation_prompt: true,
      continue_final_message: false,
    });
    expect(response.statusCode).toBe(200);
    const [plain, tuned] = engine.requests;
    expect(tuned?.sampling).toEqual(plain?.sampling);
    expect(tuned?.stopping).toEqual(plain?.stopping);
    expect(tuned?.prompt.messages).toEqual(plain?.prompt.messages);
  });

  it("are left to the model's defaults when absent", async () => {
    const { post, engine } = serve();
    await post({ messages });
    const sampling = engine.requests[0]?.sampling ?? {};
    expect(Object.values(sampling).filter((value) => value !== undefined)).toEqual([]);
  });

  it.each([
    [{ max_tokens: 3, n_predict: 4 }, 3],
    [{ n_predict: 4 }, 4],
    [{ n_predict: -1 }, Number.POSITIVE_INFINITY],
    [{}, undefined],
  ])("include the completion limit of %j", async (fields, maxTokens) => {
    const { post, engine } = serve();
    await post({ messages, ...fields });
    expect(engine.requests[0]?.stopping.maxTokens).toBe(maxTokens);
  });

  it.each([
    [{ repeat_penalty: 1.3 }, { repeatPenalty: 1.3 }],
    [{ repeat_penalty: 1.3, repetition_penalty: 1.2 }, { repeatPenalty: 1.2 }],
    [{ repeat_last_n: -1 }, { repeatLastN: -1 }],
    [{ repeat_last_n: 0 }, { repeatLastN: 0 }],
    [
      { dry_multiplier: 1, dry_base: 0.5 },
      { dryMultiplier: 1, dryBase: 0.5 },
    ],
    [{ xtc_probability: 1 }, { xtcProbability: 1, xtcThreshold: undefined }],
    [
      { samplers: ["Top-K", "nucleus", "temp"], top_p: 0.6, min_p: 0.5 },
      { topP: 0.6, minP: 0.5, samplers: ["top_k", "top_p", "temperature"] },
    ],
    [{ samplers: "edx" }, { samplers: ["penalties", "dry", "xtc"] }],
    [{ samplers: [] }, { samplers: [] }],
    [
      { samplers: ["temperature", "typ-p", "TOP_N_SIGMA"], typical_p: 0.5, top_n_sigma: 1.5 },
      { samplers: ["temperature", "typ_p", "top_n_sigma"], typicalP: 0.5, topNSigma: 1.5 },
    ],
    [
      { samplers: "taysk", adaptive_target: 0.5 },
      {
        samplers: ["temperature", "adaptive_p", "typ_p", "top_n_sigma", "top_k"],
        adaptiveTarget: 0.5,
        adaptiveDecay: undefined,
      },
    ],
    [{ samplers: [...SAMPLERS].reverse() }, { samplers: [...SAMPLERS].reverse() }],
    [
      { samplers: ["adaptive_p"], adaptive_target: -1 },
      { samplers: ["adaptive_p"], adaptiveTarget: -1 },
    ],
    [{ samplers: ["adaptive_p"] }, { samplers: ["adaptive_p"], adaptiveTarget: undefined }],
    [
      { adaptive_target: 0, adaptive_decay: 0.99 },
      { adaptiveTarget: 0, adaptiveDecay: 0.99 },
    ],
    [{ typical_p: 0.9 }, { typicalP: 0.9 }],
    [{ typical_p: 1 }, { typicalP: 1 }],
    [{ typical_p: 2 }, { typicalP: 2 }],
    [{ top_k: -1 }, { topK: -1 }],
    [{ top_n_sigma: 1.5 }, { topNSigma: 1.5 }],
    [{ top_n_sigma: -1 }, { topNSigma: -1 }],
    [{ dynatemp_range: 0.5 }, { dynatempRange: 0.5, dynatempExp: undefined }],
    [
      { dynatemp_range: 0.5, dynatemp_exponent: 2 },
      { dynatempRange: 0.5, dynatempExp: 2 },
    ],
    [
      { dynatemp_range: -1, dynatemp_exponent: 2 },
      { dynatempRange: -1, dynatempExp: 2 },
    ],
    [{ mirostat: 1 }, { mirostat: 1, mirostatEnt: undefined, mirostatLr: undefined }],
    [
      { mirostat: 2, mirostat_tau: 3, mirostat_eta: 0.2 },
      { mirostat: 2, mirostatEnt: 3, mirostatLr: 0.2 },
    ],
    [
      { mirostat: 0, mirostat_tau: 3 },
      { mirostat: 0, mirostatEnt: 3 },
    ],
    [{ xtc_probability: 0 }, { xtcProbability: 0 }],
    [{ dry_multiplier: 0 }, { dryMultiplier: 0 }],
    [
      { mirostat: 2, temperature: 0.5, dynatemp_range: 0.1, samplers: ["top_k"] },
      { mirostat: 2, temperature: 0.5, dynatempRange: 0.1, samplers: ["top_k"] },
    ],
    [{ min_keep: 3 }, { minKeep: 3 }],
    [{ min_keep: 0 }, { minKeep: 0 }],
  ])("are interpreted as in llama.cpp: %j", async (fields, sampling) => {
    const { post, engine } = serve();
    await post({ messages, ...fields });
    expect(engine.requests[0]?.sampling).toMatchObject(sampling);
  });

  it.each([
    ["a text", "abc", "abc"],
    [
      "text parts",
      [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
      "a\nb",
    ],
  ])("include a prediction given as %s", async (_, content, prediction) => {
    const { post, engine } = serve();
    await post({ messages, prediction: { type: "content", content } });
    expect(engine.requests[0]?.prediction).toBe(prediction);
  });

  it.each([
    [{ repeat_penalty: 0 }, "repeat_penalty: expected a number from 0.01 to 10, got 0."],
    [{ repeat_last_n: -2 }, "repeat_last_n: expected an integer of at least -1, got -2."],
    [{ dry_multiplier: -1 }, "dry_multiplier: expected a number of at least 0, got -1."],
    [{ dry_base: "2" }, 'dry_base: expected a number of at least 0, got "2".'],
    [{ dry_allowed_length: -1 }, "dry_allowed_length: expected an integer of at least 0, got -1."],
    [{ dry_penalty_last_n: 1.5 }, "dry_penalty_last_n: expected an integer of at least -1"],
    [{ dry_sequence_breakers: '["a"]' }, "dry_sequence_breakers: expected an array of strings"],
    [
      { dry_sequence_breakers: ["a", ""] },
      'dry_sequence_breakers.1: expected a string of 1 to 40 characters, got "".',
    ],
    [
      { dry_sequence_breakers: ["a".repeat(41)] },
      "dry_sequence_breakers.0: expected a string of 1 to 40 characters",
    ],
    [
      { dry_sequence_breakers: Array(17).fill("a") },
      "dry_sequence_breakers: expected at most 16 sequence breakers",
    ],
    [{ xtc_probability: 1.1 }, "xtc_probability: expected a number from 0 to 1, got 1.1."],
    [{ xtc_threshold: -0.1 }, "xtc_threshold: expected a number from 0 to 1, got -0.1."],
    [{ samplers: 3 }, "samplers: expected at most 100 samplers' names, or their letters, got 3."],
    [{ samplers: [3] }, "samplers.0: expected a string, got 3."],
    [
      { samplers: ["top_k", "infill"] },
      'samplers.1: expected one of penalties, dry, top_n_sigma, top_k, typ_p, top_p, min_p, xtc, temperature, adaptive_p, got "infill".',
    ],
    [{ samplers: "kqe" }, 'samplers.1: expected one of e, d, s, k, y, p, m, x, t, a, got "q".'],
    [
      { samplers: ["top_k", "min_p", "Top-K"] },
      'samplers.2: expected each sampler at most once, got "Top-K" again.',
    ],
    [{ samplers: "kk" }, 'samplers.1: expected each sampler at most once, got "k" again.'],
    [
      { samplers: ["tfs_z", "top_p", "top_p"] },
      'got "tfs_z"; samplers.2: expected each sampler at most once, got "top_p" again.',
    ],
    [{ typical_p: -0.1 }, "typical_p: expected a number of at least 0, got -0.1."],
    [{ top_n_sigma: "1" }, 'top_n_sigma: expected a number of any size, got "1".'],
    [{ dynatemp_range: true }, "dynatemp_range: expected a number of any size, got true."],
    [{ dynatemp_exponent: -1 }, "dynatemp_exponent: expected a number of at least 0, got -1."],
    [{ mirostat: 3 }, "mirostat: expected 0, 1 or 2, got 3."],
    [{ mirostat: "2" }, 'mirostat: expected 0, 1 or 2, got "2".'],
    [{ mirostat_tau: -1 }, "mirostat_tau: expected a number of at least 0, got -1."],
    [{ mirostat_eta: -0.1 }, "mirostat_eta: expected a number of at least 0, got -0.1."],
    [{ adaptive_target: 1.1 }, "adaptive_target: expected a number of at most 1, got 1.1."],
    [{ adaptive_decay: 1 }, "adaptive_decay: expected a number from 0 to 0.99, got 1."],
    [{ adaptive_decay: -0.1 }, "adaptive_decay: expected a number from 0 to 0.99, got -0.1."],
    [{ min_keep: -1 }, "min_keep: expected an integer of at least 0, got -1."],
    [{ min_keep: 1.5 }, "min_keep: expected an integer of at least 0, got 1.5."],
    [{ samplers: Array(101).fill("top_k") }, "samplers: expected at most 100 samplers' names"],
    [{ samplers: "k".repeat(101) }, "samplers: expected at most 100 samplers' names"],
    [{ stop_token_ids: "1" }, 'stop_token_ids: expected an array of token ids, got "1".'],
    [{ stop_token_ids: [1, -1] }, "stop_token_ids.1: expected an integer of at least 0, got -1."],
    [{ stop_token_ids: Array(1001).fill(1) }, "stop_token_ids: expected at most 1000 token ids"],
    [{ n_predict: 0 }, "n_predict: expected a positive integer, or -1 for as many as fit, got 0."],
    [{ prediction: "x" }, 'prediction: expected an object, got "x".'],
    [
      { prediction: { type: "tokens", content: "x" } },
      'prediction.type: expected "content", got "tokens".',
    ],
    [
      { prediction: { type: "content" } },
      "prediction.content: expected a string or an array of text parts, got nothing.",
    ],
    [
      { continue_final_message: "content" },
      'continue_final_message: expected true or false, got "content".',
    ],
    [
      { continue_final_message: true },
      "messages: expected a final assistant message without tool calls, to be continued.",
    ],
    [
      { messages: answered, continue_final_message: true, add_generation_prompt: true },
      "add_generation_prompt: expected false, because continue_final_message is true.",
    ],
  ])("are rejected with the reason: $0", async (fields, message) => {
    const { post, engine } = serve();
    const response = await post({ messages, ...fields });
    expect(response.statusCode).toBe(400);
    const { error } = response.json<{ error: { message: string; code: string } }>();
    expect(error.message).toContain(message);
    expect(error.code).toBe("invalid_request");
    expect(engine.requests).toEqual([]);
  });

  it("allow a final assistant message after another one when continue_final_message is false", async () => {
    const { post, engine } = serve();
    const twice = [...answered, { role: "assistant", content: "b" }];
    const response = await post({ messages: twice, continue_final_message: false });
    expect(response.statusCode).toBe(200);
    expect(engine.requests[0]?.prompt.finalMessage).toBe("closed");
  });
});
