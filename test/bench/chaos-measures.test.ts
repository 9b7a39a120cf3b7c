import { describe, expect, it } from "vitest";
import type { RequestRecord } from "../../bench/client/request-record.js";
import { chaosMeasures, type Fault, outcomeOf } from "../../bench/scenarios/chaos-measures.js";
import { differences } from "../../bench/scenarios/chaos-todos.js";
import { record } from "./records.js";

const request = { messages: [{ role: "user" as const, content: "x" }], maxTokens: 4 };
const known = { request, text: "right" };
const faults: readonly Fault[] = [{ signal: "SIGKILL", atMs: 1000, readyAtMs: 3000 }];
const outcome = (overrides: Partial<RequestRecord>) =>
  outcomeOf({ known, record: record(overrides) }, faults);
const refusal = { status: 503, retryAfterSeconds: 2 };

describe("the outcome of a request with a known answer", () => {
  it.each([
    ["answered", { text: "right" }],
    ["wrong", { text: "wrong" }],
    // An answer that ends too early, without an error.
    ["wrong", { text: "righ" }],
    // The text before the error differs.
    ["wrong", { text: "rong", error: "died", errorEvents: 1 }],
    ["cut", { text: "ri", error: "died", errorEvents: 1 }],
    ["torn", { text: "ri", error: "socket hang up" }],
    ["torn", { text: "ri", error: "died", errorEvents: 2 }],
    ["refused", { startedAtMs: 2000, error: "HTTP 503", refusal }],
    // Sent before the fault, and still waiting.
    ["lost", { startedAtMs: 500, error: "HTTP 503", refusal }],
    ["lost", { startedAtMs: 4000, error: "HTTP 503", refusal }],
    ["lost", { startedAtMs: 2000, error: "HTTP 503", refusal: { status: 503 } }],
    ["lost", { startedAtMs: 2000, error: "HTTP 500", refusal: { ...refusal, status: 500 } }],
    ["lost", { startedAtMs: 500, error: "died", errorEvents: 1 }],
    ["lost", { startedAtMs: 500, error: "socket hang up" }],
  ] as const)("is %s: %j", (expected, overrides) => {
    expect(outcome(overrides)).toBe(expected);
  });

  it("is hung without any end in time", () => {
    expect(outcomeOf({ known, record: undefined }, faults)).toBe("hung");
  });

  it("may be a refusal for as long as no engine came back", () => {
    const asked = {
      known,
      record: record({ startedAtMs: 9e6, error: "HTTP 503", refusal }),
    };
    expect(outcomeOf(asked, [{ signal: "SIGSTOP", atMs: 1000, readyAtMs: undefined }])).toBe(
      "refused",
    );
  });
});

describe("the measures of chaos", () => {
  it("count outcomes, and the faults after which no engine came back", () => {
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
      todoFailures: 2,
      probes: [{ error: undefined }, { error: "HTTP 500" }],
    });
    expect(measures).toEqual({
      ...{ faults: 3, hung: 1, wrong: 0, lost: 0, torn: 0, notReady: 1 },
      ...{ todoFailures: 2, healthFailures: 1, answered: 1, cut: 1, refused: 0, unstable: 1 },
      ...{ readyP50: 2, readyMax: 5 },
    });
  });
});

describe("the to-do items after chaos", () => {
  it("differ by missing items and by items that should have been deleted", () => {
    expect(differences(new Set([1, 2, 3]), [3, 2, 1])).toBe(0);
    expect(differences(new Set([1, 2, 3]), [1, 4])).toBe(3);
  });
});
