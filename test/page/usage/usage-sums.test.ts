import { describe, expect, it } from "vitest";
import type { UsageBucket, UsageResult } from "../../../src/api/usage/answer.js";
import { sumBuckets, sumGroups } from "../../../src/page/usage/usage-sums.js";

const result = (given: Partial<UsageResult>): UsageResult => ({
  object: "organization.usage.completions.result",
  num_model_requests: 1,
  input_tokens: 10,
  input_cached_tokens: 0,
  output_tokens: 2,
  images: 0,
  audio_seconds: 0,
  engine_seconds: 0.5,
  ...{ project_id: null, user_id: null, api_key_id: null, model: null },
  ...{ adapter: null, api: null, batch: null },
  ...given,
});

const bucket = (start: number, ...results: readonly UsageResult[]): UsageBucket => ({
  object: "bucket",
  start_time: start,
  end_time: start + 1,
  results: [...results],
});

describe("usage in charts and tables", () => {
  const buckets = [
    bucket(1, result({ model: "a" }), result({ model: "b", input_tokens: 100 })),
    bucket(2),
    bucket(3, result({ model: "a", images: 3, input_cached_tokens: 9 })),
  ];

  it("has the sums of each bucket", () => {
    expect(sumBuckets(buckets)).toEqual([
      { startTime: 1, requests: 2, promptTokens: 110, generatedTokens: 4 },
      { startTime: 2, requests: 0, promptTokens: 0, generatedTokens: 0 },
      { startTime: 3, requests: 1, promptTokens: 10, generatedTokens: 2 },
    ]);
  });

  it("has the sums of each group, the one with the most tokens first", () => {
    expect(sumGroups(buckets, "model")).toMatchObject([
      { name: "b", counts: { num_model_requests: 1, input_tokens: 100 } },
      {
        name: "a",
        counts: { num_model_requests: 2, input_tokens: 20, images: 3, engine_seconds: 1 },
      },
    ]);
  });

  it.each([
    ["key", { api_key_id: "alice" }, "alice"],
    ["key", { api_key_id: "" }, "no key"],
    ["api", { api: "/v1/messages" }, "/v1/messages"],
    ["class", { batch: true }, "Batches"],
    ["class", { batch: false }, "Interactive"],
  ] as const)("names a group by its %s: %j", (grouping, given, name) => {
    expect(sumGroups([bucket(1, result(given))], grouping)).toMatchObject([{ name }]);
  });
});
