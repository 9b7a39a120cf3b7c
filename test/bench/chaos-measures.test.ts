import { describe, expect, it } from "vitest";
import type { RequestRecord } from "../../bench/client/request-record.js";
import { chaosMeasures, type Fault, outcomeOf } from "../../bench/scenarios/chaos-measures.js";
import { compareAnswers, knownAnswers } from "../../bench/scenarios/known-answers.js";
import { record } from "./records.js";

const request = { messages: [{ role: "user" as const, content: "x" }], maxTokens: 4 };
const known = { request, text: "right" };
const faults: readonly Fault[] = [{ signal: "SIGKILL", atMs: 1000, readyAtMs: 3000 }];
const outcome = (overrides: Partial<RequestRecord>) =>
  outcomeOf({ known, record: record(overrides) }, faults);
const refusal = { status: 503, retryAfterSeconds: 2 };

describe("outcomeOf", () => {
  it.each([
    ["answered", { text: "right" }],
    ["wrong", { text: "wrong" }],
    // Ends too early, without an error.
    ["wrong", { text: "righ" }],
    // The text before the error differs.
    ["wrong", { text: "rong", error: "died", errorEvents: 1 }],
    ["cut", { text: "ri", error: "died", errorEvents: 1 }],
    ["torn", { text: "ri", error: "socket hang up" }],
    ["torn", { text: "ri", error: "died", errorEvents: 2 }],
    ["refused", { startedAtMs: 2000, error: "HTTP 503", refusal }],
    // Sent before the fault and still queued.
    ["lost", { startedAtMs: 500, error: "HTTP 503", refusal }],
    ["lost", { startedAtMs: 4000, error: "HTTP 503", refusal }],
    ["lost", { startedAtMs: 2000, error: "HTTP 503", refusal: { status: 503 } }],
    ["lost", { startedAtMs: 2000, error: "HTTP 500", refusal: { ...refusal, status: 500 } }],
    ["lost", { startedAtMs: 500, error: "died", errorEvents: 1 }],
    ["lost", { startedAtMs: 500, error: "socket hang up" }],
  ] as const)("returns %s for %j", (expected, overrides) => {
    expect(outcome(overrides)).toBe(expected);
  });

  it("returns hung for a request that never ended", () => {
    expect(outcomeOf({ known, record: undefined }, faults)).toBe("hung");
  });

  it("returns refused if no engine recovered from the fault", () => {
    const asked = {
      known,
      record: record({ startedAtMs: 9e6, error: "HTTP 503", refusal }),
    };
    expect(outcomeOf(asked, [{ signal: "SIGSTOP", atMs: 1000, readyAtMs: undefined }])).toBe(
      "refused",
    );
  });
});

describe("chaosMeasures", () => {
  it("counts outcomes and faults without recovery", () => {
    const asked = [
      { known, record: record({ text: "right" }) },
      { known, record: record({ text: "ri", error: "died", errorEvents: 1 }) },
      { known, record: undefined },
    ];
    const measures = chaosMeasures({
      asked,
      faults: [
        ...faults,
        { signal: "SIGSTOP", atMs: 5000, readyAtMs: 10_000 },
        { signal: "SIGSTOP", atMs: 11_000, readyAtMs: undefined },
      ],
      unstable: 1,
      probes: [{ error: undefined }, { error: "HTTP 500" }],
    });
    expect(measures).toEqual({
      ...{ faults: 3, hung: 1, wrong: 0, lost: 0, torn: 0, notReady: 1 },
      ...{ healthFailures: 1, answered: 1, cut: 1, refused: 0, unstable: 1 },
      ...{ readyP50: 2, readyMax: 5 },
    });
  });
});

const requests = ["a", "b"].map((content) => ({
  messages: [{ role: "user" as const, content }],
  maxTokens: 4,
}));
const [first] = requests;

describe("known answers of chaos", () => {
  it("are the answers that are equal in every undisturbed run", () => {
    const records = ["x", "y", "x", "z", "x", "y"].map((text) => record({ text }));
    const { known, unstable } = compareAnswers(requests, records);
    expect(known).toEqual([{ request: first, text: "x" }]);
    expect(unstable).toBe(1);
  });

  it("are requested sequentially first, and then concurrently", async () => {
    let open = 0;
    const concurrency: number[] = [];
    const complete = async () => {
      concurrency.push(++open);
      await new Promise(setImmediate);
      open -= 1;
      return record({ text: "x" });
    };
    const { known } = await knownAnswers({ complete, clients: 2 }, requests);
    expect(known).toHaveLength(2);
    expect(concurrency.slice(0, 2)).toEqual([1, 1]);
    expect(Math.max(...concurrency.slice(2))).toBe(2);
  });

  it("are rejected if an undisturbed request fails or no answer is reproducible", async () => {
    const complete = async () => record({ error: "died" });
    await expect(knownAnswers({ complete, clients: 1 }, requests)).rejects.toThrow(
      "an undisturbed request failed: died",
    );
    const different = ["1", "2", "3", "4"].map((text) => record({ text }));
    expect(() => compareAnswers(requests, different)).toThrow("expected equal undisturbed answers");
  });
});
