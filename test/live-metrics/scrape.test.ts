import { describe, expect, it } from "vitest";
import { parsePrometheusText } from "../../src/live-metrics/prometheus-text.js";
import { computeGrowth, gaugeOf, sumSamples } from "../../src/live-metrics/scrape.js";

const read = (...lines: string[]) => parsePrometheusText(lines.join("\n"));

describe("the increase of a counter", () => {
  it("is the sum over all of its series, including new ones", () => {
    const earlier = read('c{a="1"} 5', 'd{a="1"} 100');
    const later = read('c{a="1"} 7', 'c{a="2"} 10', 'd{a="1"} 200');
    expect(computeGrowth(earlier, later, "c")).toBe(12);
  });

  it("does not depend on the order of labels", () => {
    expect(computeGrowth(read('c{a="1",b="2"} 5'), read('c{b="2",a="1"} 6'), "c")).toBe(1);
  });

  it("is the whole value after a reset to 0", () => {
    const earlier = read('c{a="1"} 50', 'c{a="2"} 1');
    expect(computeGrowth(earlier, read('c{a="1"} 3', 'c{a="2"} 2'), "c")).toBe(4);
  });

  it("is unknown without a counter or an earlier reading", () => {
    expect(computeGrowth(read("d 1"), read("d 1"), "c")).toBeUndefined();
    expect(computeGrowth(undefined, read("c 1"), "c")).toBeUndefined();
  });
});

it("reads single gauges and sums of gauges", () => {
  const samples = read('g{a="1"} 5', 'g{a="2"} 7');
  expect([gaugeOf(samples, "g"), sumSamples(samples, "g")]).toEqual([5, 12]);
  expect([gaugeOf(samples, "x"), sumSamples(samples, "x")]).toEqual([undefined, undefined]);
});
