import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inOpenLoop } from "../../bench/client/open-loop.js";
import { poissonArrivals } from "../../bench/goodput/arrivals.js";
import {
  lognormalQuantile,
  lognormalWithMean,
  medianLengths,
  shareGptLengths,
  stratifiedSample,
} from "../../bench/goodput/request-lengths.js";
import { mean, median } from "../../bench/statistics.js";
import { zip } from "../../bench/zip.js";
import { Random } from "../../models/random/random-choices.js";

const ascending = (values: readonly number[]) => values.toSorted((a, b) => a - b);

describe("a lognormal distribution", () => {
  const distribution = lognormalWithMean(161, 1.2);

  it("has a median below its mean by half the squared sigma", () => {
    expect(lognormalQuantile(distribution, 0.5)).toBeCloseTo(161 * Math.exp(-0.72), 1);
  });

  it.each([
    [0.001, -3.0902],
    [0.1, -1.2816],
    [0.9, 1.2816],
    [0.99, 2.3263],
  ])("has the quantile %d at the standard normal distance from the median", (share, sigmas) => {
    const expected = Math.exp(distribution.mu + 1.2 * sigmas);
    expect(lognormalQuantile(distribution, share) / expected).toBeCloseTo(1, 2);
  });

  it("has ascending quantiles", () => {
    const shares = fc.double({ min: 0.001, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(shares, (share) => {
        const [lower, higher] = [share, share + 0.005].map((each) =>
          lognormalQuantile(distribution, each),
        );
        expect(lower).toBeLessThan(higher ?? 0);
      }),
    );
  });
});

describe("a stratified sample", () => {
  const distribution = lognormalWithMean(338, 0.8);
  const sample = (seed: number) => stratifiedSample(distribution, 100, new Random(seed));

  it("approximates the distribution's mean and median", () => {
    expect(mean(sample(1)) / 338).toBeCloseTo(1, 1);
    expect(median(sample(1)) / lognormalQuantile(distribution, 0.5)).toBeCloseTo(1, 2);
  });

  it("has the same values in a different order for a different seed", () => {
    expect(sample(1)).toEqual(sample(1));
    expect(sample(1)).not.toEqual(sample(2));
    expect(ascending(sample(1))).toEqual(ascending(sample(2)));
  });
});

describe("request lengths", () => {
  const whole = { scale: 1, contextSize: 1_000_000 };
  const lengths = (limits: typeof whole) => shareGptLengths(1000, limits, new Random(1));

  it("have the published means of ShareGPT", () => {
    expect(mean(lengths(whole).map(({ promptTokens }) => promptTokens))).toBeCloseTo(160.5, 0);
    expect(mean(lengths(whole).map(({ maxTokens }) => maxTokens))).toBeCloseTo(337.6, 0);
  });

  it("are integers of at least 4 tokens that fit into a slot", () => {
    for (const { promptTokens, maxTokens } of lengths({ scale: 0.5, contextSize: 512 })) {
      expect(Number.isInteger(promptTokens) && Number.isInteger(maxTokens)).toBe(true);
      expect(Math.min(promptTokens, maxTokens)).toBeGreaterThanOrEqual(4);
      expect(promptTokens + 64).toBeLessThanOrEqual(256);
      expect(maxTokens).toBeLessThanOrEqual(256);
    }
  });

  it("of prompts and answers are independent", () => {
    const byPrompt = lengths(whole).toSorted((a, b) => a.promptTokens - b.promptTokens);
    const answers = byPrompt.map(({ maxTokens }) => maxTokens);
    expect(answers).not.toEqual(ascending(answers));
  });

  it("scale with a factor, as do their medians", () => {
    expect(medianLengths(whole)).toEqual({ promptTokens: 78, maxTokens: 245 });
    expect(medianLengths({ scale: 0.5, contextSize: 1024 })).toEqual({
      promptTokens: 39,
      maxTokens: 123,
    });
  });
});

describe("poissonArrivals", () => {
  it("are ascending, average one per second and are reproducible from the seed", () => {
    const times = poissonArrivals(100, new Random(1));
    expect(times).toEqual(ascending(times));
    expect(times[0]).toBeGreaterThan(0);
    expect(times.at(-1)).toBeCloseTo(100, 9);
    expect(times).toEqual(poissonArrivals(100, new Random(1)));
  });

  it("have exponentially distributed gaps", () => {
    const times = poissonArrivals(20_000, new Random(1));
    const gaps = zip([0, ...times.slice(0, -1)], times).map(([from, to]) => to - from);
    const shareAbove = (seconds: number) =>
      gaps.filter((gap) => gap > seconds).length / gaps.length;
    for (const seconds of [0.5, 1, 3]) {
      expect(shareAbove(seconds)).toBeCloseTo(Math.exp(-seconds), 1.7);
    }
  });
});

describe("inOpenLoop", () => {
  it("calls each function at its time without waiting for earlier calls", async () => {
    const called: string[] = [];
    let endFirst = () => {};
    const firstEnded = new Promise<string>((resolve) => {
      endFirst = () => resolve("first");
    });
    const first = () => {
      called.push("first");
      return firstEnded;
    };
    const second = async () => {
      called.push("second");
      endFirst();
      return "second";
    };
    const calls = [
      { atMs: 200, call: second },
      { atMs: 1, call: first },
    ];
    expect(await inOpenLoop(calls, new AbortController().signal)).toEqual(["second", "first"]);
    expect(called).toEqual(["first", "second"]);
  });

  it("rejects as soon as it is aborted", async () => {
    const stop = new AbortController();
    const never = async () => expect.unreachable();
    const loop = inOpenLoop([{ atMs: 1e6, call: never }], stop.signal);
    stop.abort();
    await expect(loop).rejects.toThrow(/abort/);
  });
});
