import { describe, expect, it } from "vitest";
import { bodiesOf, hasEnded, inputOf } from "../../bench/client/batches.js";
import { PromptWriter } from "../../bench/prompts/prompt-writer.js";
import { requestsOf, type Workload } from "../../bench/scenarios/batch.js";
import { besideChatsMeasures, counterIn } from "../../bench/scenarios/batch-beside-chats.js";
import { textsOf } from "../../bench/scenarios/batch-embeddings.js";
import {
  idealTokens,
  idleSeconds,
  recordsOf,
  sharedPromptMeasures,
  sharedPromptValues,
} from "../../bench/scenarios/batch-measures.js";
import { vectorsIn } from "../../bench/scenarios/vectors.js";
import { counts, record } from "./records.js";

describe("a client of batches", () => {
  it("names the lines of the input by their numbers", () => {
    const lines = inputOf("/v1/embeddings", [{ input: "a" }, { input: "b" }]).split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { custom_id: "0", method: "POST", url: "/v1/embeddings", body: { input: "a" } },
      { custom_id: "1", method: "POST", url: "/v1/embeddings", body: { input: "b" } },
    ]);
  });

  it("returns answers in the order of the input, without those of failed lines", () => {
    const output = [
      { custom_id: "2", response: { status_code: 200, body: { answer: "c" } } },
      { custom_id: "0", response: { status_code: 200, body: { answer: "a" } } },
      { custom_id: "1", response: { status_code: 400, body: { error: {} } } },
    ];
    const text = `${output.map((line) => JSON.stringify(line)).join("\n")}\n`;
    expect(bodiesOf(text, 3)).toEqual([{ answer: "a" }, undefined, { answer: "c" }]);
  });

  it.each([
    ["validating", false],
    ["in_progress", false],
    ["finalizing", false],
    ["cancelling", false],
    ["completed", true],
    ["failed", true],
    ["expired", true],
    ["cancelled", true],
  ])("a batch with the status %s has ended: %s", (status, ended) => {
    expect(hasEnded({ status })).toBe(ended);
  });
});

describe("records of a batch", () => {
  it("have the tokens of the answers, and last as long as the batch", () => {
    const usage = {
      prompt_tokens: 9,
      completion_tokens: 2,
      prompt_tokens_details: { cached_tokens: 4 },
    };
    const body = { choices: [{ message: { content: "Hi" }, finish_reason: "length" }], usage };
    const [answered, failed] = recordsOf({
      startedAtMs: 5,
      endedAtMs: 50,
      bodies: [body, undefined],
    });
    expect(answered).toMatchObject({ startedAtMs: 5, endedAtMs: 50, text: "Hi", error: undefined });
    expect(answered?.tokens).toMatchObject({ prompt: 9, cached: 4, completion: 2 });
    expect(failed?.error).toBe("a failed line of a batch");
  });
});

describe("prompts with common beginnings", () => {
  const prompt = (tokens: number, cached: number) =>
    record({ endedAtMs: 2000, tokens: counts({ prompt: tokens, cached }) });

  it.each([
    ["each beginning once", [prompt(100, 0), prompt(110, 80), prompt(120, 80)], [0, 0, 0], 170],
    [
      "the beginning of each group",
      [prompt(100, 0), prompt(50, 0), prompt(100, 90)],
      [0, 1, 0],
      160,
    ],
    [
      "beginnings as long as others where none was cached",
      [prompt(100, 0), prompt(100, 80), prompt(90, 0), prompt(90, 0)],
      [0, 0, 1, 1],
      220,
    ],
    ["all of a prompt alone", [prompt(100, 0)], [3], 100],
    ["nothing of failed requests", [record({ error: "x" }), prompt(100, 0)], [0, 0], 100],
  ])("require the evaluation of %s", (_, records, groups, expected) => {
    expect(idealTokens(records, groups)).toBe(expected);
  });

  it("are reduced to the wall time and evaluated tokens of each way", () => {
    const records = [prompt(100, 0), prompt(100, 50), prompt(100, 80)];
    const values = {
      ...sharedPromptValues("labels", "batch", { records, groups: [0, 0, 0] }),
      ...sharedPromptValues("labels", "interactive", {
        records: records.slice(0, 1),
        groups: [0],
      }),
    };
    expect(values).toEqual({
      "labels: batch wall": 2,
      "labels: batch evaluated": 170,
      "labels: batch evaluatedToIdeal": 170 / 140,
      "labels: interactive wall": 2,
      "labels: interactive evaluated": 100,
      "labels: interactive evaluatedToIdeal": 1,
    });
    expect(Object.keys(sharedPromptMeasures("labels"))).toEqual(Object.keys(values));
  });
});

describe("requests of a batch", () => {
  const workload: Workload = {
    ...{ name: "labels", beginnings: 3, beginningTokens: 20 },
    ...{ requests: 30, questionTokens: 8, maxTokens: 4 },
  };
  const prompts = new PromptWriter("key", 1);

  it("share beginnings, in random order", () => {
    const requests = requestsOf(workload, "batch", prompts);
    const beginnings = requests.map(({ request }) => request.messages[0]?.content);
    expect(new Set(beginnings).size).toBe(3);
    expect(new Set(requests.map(({ request }) => request.messages[1]?.content)).size).toBe(30);
    const groups = requests.map(({ group }) => group);
    expect(groups).not.toEqual(groups.toSorted((one, other) => one - other));
    expect(groups.filter((group) => group === 0)).toHaveLength(10);
  });

  it("share no beginning with those of the interactive route", () => {
    const contents = (["batch", "interactive"] as const).flatMap((way) => [
      ...new Set(
        requestsOf(workload, way, prompts).map(({ request }) => request.messages[0]?.content),
      ),
    ]);
    expect(new Set(contents).size).toBe(6);
  });

  it("for embeddings have different lengths", () => {
    const lengths = textsOf(50, "batch", prompts).map((text) => text.split(" ").length);
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(16);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(256);
    expect(new Set(lengths).size).toBeGreaterThan(20);
  });
});

describe("embeddings of an answer", () => {
  it.each([
    [
      "in the order of the texts",
      {
        data: [
          { index: 1, embedding: [2] },
          { index: 0, embedding: [1] },
        ],
      },
      [[1], [2]],
    ],
    ["absent if one is missing", { data: [{ index: 0, embedding: [1] }] }, undefined],
    ["absent without an answer", undefined, undefined],
  ])("are %s", (_, body, expected) => {
    expect(vectorsIn(body, 2)).toEqual(expected);
  });
});

describe("idle time", () => {
  const chat = (startedAtMs: number, endedAtMs: number) => record({ startedAtMs, endedAtMs });

  it.each([
    ["without requests", [], 10],
    ["around one request", [chat(2000, 5000)], 7],
    ["around overlapping requests", [chat(4000, 6000), chat(2000, 5000)], 6],
    ["around requests within another one", [chat(1000, 9000), chat(2000, 3000)], 2],
    ["inside the window only", [chat(-5000, 1000), chat(9000, 20_000)], 8],
    ["before requests after the window", [chat(12_000, 13_000)], 10],
  ])("is what is left %s", (_, records, expected) => {
    expect(idleSeconds({ fromMs: 0, toMs: 10_000 }, records)).toBe(expected);
  });
});

describe("measures of chats during a batch", () => {
  const calm = [
    record({ chunkTimesMs: [100, 110], endedAtMs: 110, tokens: counts({ completion: 2 }) }),
  ];
  const chats = [
    record({ chunkTimesMs: [110, 130], endedAtMs: 5000, tokens: counts({ completion: 2 }) }),
  ];
  const phases = {
    calm,
    alone: [
      { window: { fromMs: 0, toMs: 500 }, tokens: 80 },
      { window: { fromMs: 5000, toMs: 6500 }, tokens: 120 },
    ],
    beside: { window: { fromMs: 0, toMs: 10_000 }, tokens: 452, chats },
  };

  it("compare latencies, and the output of the batch in idle time", () => {
    expect(besideChatsMeasures({ ...phases, lasted: true })).toMatchObject({
      ...{ calmTtftP99: 100, ttftP99: 110, ttftRatio: 1.1 },
      ...{ calmItlP99: 10, itlP99: 20, itlRatio: 2 },
      ...{ aloneRate: 100, idleRate: 90, idleShare: 0.9, idle: 50, failedChats: 0 },
    });
  });

  it("lack the output of a batch that ended before the chats", () => {
    const measures = besideChatsMeasures({ ...phases, lasted: false });
    expect(measures).toMatchObject({ aloneRate: Number.NaN, idleShare: Number.NaN, ttftP99: 110 });
  });

  it("count failed chats", () => {
    const failing = { ...phases, calm: [...calm, record({ error: "HTTP 500" })], lasted: true };
    expect(besideChatsMeasures(failing).failedChats).toBe(1);
  });

  it.each([
    ['x_total{model="a"} 5\nx_total{model="b"} 7\nx_total_2 1', 12],
    ["# HELP x_total X.\nx_total 3", 3],
    ["y_total 3", 0],
  ])("read a counter from %j", (text, expected) => {
    expect(counterIn(text, "x_total")).toBe(expected);
  });
});
