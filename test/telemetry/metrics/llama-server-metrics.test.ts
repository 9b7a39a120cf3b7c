import { expect, test } from "vitest";
import type { FinishedEvent } from "../../../src/api/answers/collected-answer.js";
import { Metrics } from "../../../src/telemetry/metrics/metrics.js";
import { engineStatistics } from "../../support/engine-statistics.js";
import { loadedModel } from "../../support/pooled-models.js";
import { scrape } from "../../support/scraped-metrics.js";
import { servedModel } from "../../support/served-model.js";

const finished: FinishedEvent = {
  type: "finished",
  reason: "stop",
  usage: { promptTokens: 10, cachedTokens: 4, completionTokens: 5, reasoningTokens: 0 },
  timings: {
    ...{ prefillMs: 2000, decodeMs: 500 },
    ...{ draftTokens: 0, acceptedDraftTokens: 0, forcedTokens: 0 },
  },
};

test("metrics with llama-server's names count the answers of all models, and each prompt once", async () => {
  const model = loadedModel({ ...servedModel("mini"), statistics: engineStatistics });
  const metrics = new Metrics({
    models: () => [model],
    server: { readiness: { state: "ready" } },
    version: "1.2.3",
  });
  const request = metrics.observer.begin({
    ...{ id: "r", method: "POST", path: "/completion", clientAddress: "127.0.0.1" },
    route: "/completion",
  });
  for (const choice of [0, 1]) {
    const waiting = { type: "waiting", model: "mini", promptTokens: 10 } as const;
    request.observe(choice, choice === 0 ? waiting : { ...waiting, sharesPrompt: true });
    if (choice === 0) request.observe(choice, { type: "running" });
  }
  const ofLlamaServer = async () =>
    Object.fromEntries(
      Object.entries(await scrape(metrics)).filter(([name]) => name.startsWith("llamacpp:")),
    );
  const idle = {
    "llamacpp:prompt_tokens_seconds": 0,
    "llamacpp:predicted_tokens_seconds": 0,
  };
  expect(await ofLlamaServer()).toMatchObject({
    ...idle,
    "llamacpp:requests_processing": 1,
    "llamacpp:requests_deferred": 1,
  });
  for (const choice of [0, 1]) request.observe(choice, { type: "event", event: finished });
  const counted = {
    "llamacpp:prompt_tokens_total": 6,
    "llamacpp:prompt_tokens_cached_total": 4,
    "llamacpp:prompt_seconds_total": 2,
    "llamacpp:tokens_predicted_total": 10,
    "llamacpp:tokens_predicted_seconds_total": 1,
    "llamacpp:n_decode_total": 9,
    "llamacpp:n_tokens_max": 15,
    "llamacpp:spec_decode_num_draft_tokens_total": 93,
    "llamacpp:spec_decode_num_accepted_tokens_total": 90,
    "llamacpp:requests_processing": 0,
    "llamacpp:requests_deferred": 0,
    "llamacpp:n_busy_slots_per_decode": 20 / 9,
  };
  expect(await ofLlamaServer()).toEqual({
    ...counted,
    "llamacpp:prompt_tokens_seconds": 3,
    "llamacpp:predicted_tokens_seconds": 10,
  });
  expect(await ofLlamaServer()).toEqual({ ...counted, ...idle });
});
