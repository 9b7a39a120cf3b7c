import { describe, expect, it } from "vitest";
import { formatRatio, formatShare, formatValue, measureName } from "../../bench/summary/format.js";
import { resultName } from "../../bench/summary/result-file.js";
import { formatResult, notesOf } from "../../bench/summary/result-table.js";
import { describeTarget, summarise } from "../../bench/summary/summarise.js";
import { result } from "./results.js";

describe("formatResult", () => {
  it("lists the samples of a run below the table", () => {
    const samples = [
      { requests: 0, "server MB": 80.5 },
      { requests: 500, "server MB": 81 },
    ];
    const [first, ...others] = result.runs;
    const text = formatResult({
      ...result,
      runs: first === undefined ? [] : [{ ...first, samples }, ...others],
    });
    expect(text).toContain(
      "\nggufd, clients 8, run 1:\nrequests  server MB\n       0       80.5\n     500       81.0\n",
    );
    expect(text.match(/run \d:/g)).toHaveLength(1);
  });
});

describe("notesOf", () => {
  it("starts with the calibrations", () => {
    const calibrations = [{ clients: 8, side: "ggufd", values: { "capacity req/s": 1.777 } }];
    expect(notesOf({ ...result, calibrations })[0]).toBe(
      "ggufd, calibration at 8 clients: capacity req/s 1.78.",
    );
  });
});

describe("summarise", () => {
  it("computes medians, spreads, the ratio and the target", () => {
    expect(summarise(result)).toEqual([
      {
        clients: 8,
        measure: result.measures.rate,
        sides: [
          { median: 100, spread: 0.2 },
          { median: 80, spread: 0.5 },
        ],
        ratio: 1.25,
        target: { text: "≥ 1.02", verdict: "met" },
      },
    ]);
  });

  it("omits the target for another model or number of clients", () => {
    const others = [{ model: "135m" }, { clients: 32 }].map((other) => ({
      ...result,
      targets: result.targets.map((target) => ({ ...target, ...other })),
    }));
    for (const other of others) expect(summarise(other)[0]?.target).toBeUndefined();
  });

  it("omits the ratio for ggufd alone, but evaluates a target for its value", () => {
    const alone = {
      ...result,
      sides: result.sides.slice(0, 1),
      targets: [{ measure: "rate", of: "ours", atMost: 99 } as const],
    };
    const [row] = summarise(alone);
    expect(row?.ratio).toBeNaN();
    expect(row?.target).toEqual({ text: "ours ≤ 99", verdict: "missed" });
  });

  it("returns NaN for runs without values", () => {
    const empty = { ...result, runs: result.runs.map((run) => ({ ...run, values: {} })) };
    const [row] = summarise(empty);
    expect(row?.sides[0]).toEqual({ median: Number.NaN, spread: Number.NaN });
    expect(row?.target?.verdict).toBe("unknown");
  });
});

describe("describeTarget", () => {
  const target = { measure: "rate", of: "ratio" } as const;

  it.each([
    [{ atLeast: 1.02 }, 1.02, "met"],
    [{ atLeast: 1.02 }, 1.01, "missed"],
    [{ atMost: 0 }, 0, "met"],
    [{ atMost: 0.5 }, 0.51, "missed"],
    [{ atMost: 0.5 }, Number.NaN, "unknown"],
  ])("for %j at %d is %s", (bound, actual, verdict) => {
    expect(describeTarget({ ...target, ...bound }, actual).verdict).toBe(verdict);
  });
});

describe("formatResult's table", () => {
  it("is aligned for a terminal", () => {
    expect(formatResult(result)).toMatchInlineSnapshot(`
      "decode: clients ask at once
      model 15m+qwen2, 8 slots of 512 tokens, 2 threads, 2 runs

      clients  measure  unit   ggufd  spread  peer <1>  spread  ratio  target
            8  output   tok/s    100    20 %      80.0    50 %   1.25  ≥ 1.02  met

      ggufd: 3 requests failed: HTTP 503

      The load client used at most 5 % of one core."
    `);
  });
});

describe("formatted results", () => {
  it.each([
    [1234.5, "1235"],
    [99.95, "100"],
    [12.345, "12.3"],
    [0.01234, "0.0123"],
    [0, "0"],
    [Number.NaN, "–"],
    [Number.POSITIVE_INFINITY, "–"],
  ])("show %d as %s", (value, text) => {
    expect(formatValue(value)).toBe(text);
  });

  it("show a measure's subject before its label", () => {
    const measure = { label: "output", unit: "tok/s", better: "higher" } as const;
    expect(measureName(measure)).toBe("output");
    expect(measureName({ ...measure, subject: "regex" })).toBe("regex: output");
  });

  it("show shares as percentages and ratios with two decimals", () => {
    expect(formatShare(0.034)).toBe("3 %");
    expect(formatShare(Number.NaN)).toBe("–");
    expect(formatRatio(1.0389)).toBe("1.04");
    expect(formatRatio(Number.POSITIVE_INFINITY)).toBe("–");
  });
});

describe("resultName", () => {
  it.each([
    ["135m", "decode-135m"],
    ["15m+qwen2", "decode-15m-qwen2"],
    ["My model Q8_0.gguf", "decode-My-model-Q8_0"],
  ])("of %s is %s", (model, name) => {
    const settings = { ...result.settings, model };
    expect(resultName({ ...result, settings })).toBe(name);
  });
});
