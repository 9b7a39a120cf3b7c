import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SAMPLERS } from "../../src/core/samplers.js";
import { openEngine } from "../support/generate.js";
import { type LlamaServer, llamaServerPath, startLlamaServer } from "../support/llama-server.js";
import { type RunningApp, runApp } from "../support/running-app.js";
import { shippedModel } from "../support/shipped-model.js";

const between = (min: number, max: number) =>
  fc.integer({ min: min * 1000, max: max * 1000 }).map((thousandths) => thousandths / 1000);
/** Off in half of the cases, because with all samplers on, few tokens remain to choose from. */
const either = <Value>(off: Value, on: fc.Arbitrary<Value>) => fc.oneof(fc.constant(off), on);

const lookingBack = {
  repeat_penalty: either(1, between(0.5, 2)),
  presence_penalty: either(0, between(-2, 2)),
  frequency_penalty: either(0, between(-2, 2)),
  repeat_last_n: fc.constantFrom(0, 5, 64, 512),
  dry_multiplier: either(0, between(0, 5)),
  dry_base: between(1, 3),
  dry_allowed_length: fc.nat(4),
  dry_penalty_last_n: fc.constantFrom(0, 20, 512),
  logit_bias: either([], fc.array(fc.tuple(fc.nat(2000), between(-20, 20)), { maxLength: 5 })),
  ignore_eos: fc.boolean(),
};

/** Deterministic sampling, which `settings` rarely yields. */
const greedy = fc.record({ temperature: fc.constant(0), ...lookingBack });

const settings = fc.record({
  ...lookingBack,
  seed: fc.nat(2 ** 31),
  temperature: either(0.8, between(0, 2)),
  dynatemp_range: either(0, between(0, 1)),
  dynatemp_exponent: either(1, between(0.5, 2)),
  top_k: either(0, fc.integer({ min: 1, max: 100 })),
  top_p: either(1, between(0.05, 1)),
  min_p: either(0, between(0, 0.5)),
  typical_p: either(1, between(0.05, 1)),
  top_n_sigma: either(-1, between(0.5, 4)),
  xtc_probability: either(0, between(0, 1)),
  xtc_threshold: between(0, 0.5),
  mirostat: fc.constantFrom(0, 0, 0, 0, 1, 2),
  mirostat_tau: between(1, 8),
  mirostat_eta: between(0.01, 1),
  adaptive_target: either(-1, between(0, 1)),
  adaptive_decay: between(0, 0.99),
  min_keep: fc.constantFrom(0, 0, 1, 5),
  samplers: fc.oneof(
    fc.constant<readonly string[]>(SAMPLERS),
    fc.shuffledSubarray<string>([...SAMPLERS, "adaptive_p"]),
  ),
});

const prompts = [
  "The cat sat on the mat, the cat sat on the mat, the cat",
  "Once upon a time there was a",
  "1 2 3 4 5 6 7",
];

/**
 * Full precision, in which both programs use flash attention. With halves ggufd uses plain attention on
 * machines whose vectors are longer than a head (`flashAttention`), and the two round differently.
 */
const kvCacheTypes = { keys: "f32", values: "f32" } as const;
const theirCache = ["-ctk", "f32", "-ctv", "f32"];

describe.runIf(llamaServerPath !== undefined)(
  "compared with llama-server",
  { timeout: 600_000 },
  () => {
    let ours: RunningApp;
    let theirs: LlamaServer;
    beforeAll(async () => {
      ours = await runApp(
        await openEngine(shippedModel, { slots: 1, contextSize: 512, kvCacheTypes }),
      );
      theirs = await startLlamaServer(["-m", shippedModel, ...theirCache]);
    });
    afterAll(async () => {
      theirs.stop();
      await ours.close();
    });

    async function textOf(url: string, body: object): Promise<unknown> {
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${url}/completion`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      const answer = (await response.json()) as { readonly content?: string };
      return answer.content ?? answer;
    }

    it("the same seed and settings give the same text, token for token", async () => {
      let distinct = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(settings, greedy),
          fc.constantFrom(...prompts),
          async (sampling, prompt) => {
            const body = { prompt, n_predict: 24, cache_prompt: false, ...sampling };
            const expected = await textOf(theirs.url, body);
            expect(await textOf(ours.url, body)).toEqual(expected);
            if (typeof expected === "string" && new Set(expected).size > 8) distinct++;
          },
        ),
        { numRuns: Number(process.env.GGUFD_TEST_RUNS ?? 200) },
      );
      expect(distinct).toBeGreaterThan(50);
    });
  },
);
