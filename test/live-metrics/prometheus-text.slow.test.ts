import fc from "fast-check";
import { Counter, Histogram, Registry } from "prom-client";
import { describe, expect, it, test } from "vitest";
import {
  NotPrometheusTextError,
  parsePrometheusText,
} from "../../src/live-metrics/prometheus-text.js";

describe("a scrape", () => {
  it("is parsed without comments and empty lines", () => {
    const text = [
      "# HELP ggufd:ready Whether it is ready.",
      "# TYPE ggufd:ready gauge",
      "ggufd:ready 1",
      "",
      'ggufd:errors_total{code="not_found"} 3\r',
    ].join("\n");
    expect(parsePrometheusText(text)).toEqual([
      { name: "ggufd:ready", labels: {}, value: 1 },
      { name: "ggufd:errors_total", labels: { code: "not_found" }, value: 3 },
    ]);
  });

  test.each([
    ["a 1.5e-7", 1.5e-7],
    ["a +Inf", Infinity],
    ["a -Inf", -Infinity],
    ["a NaN", Number.NaN],
    ["a 1 1790000000000", 1],
    ["a{} -2", -2],
    ["a   7", 7],
    ['a_bucket{le="1"} 3 # {trace_id="x"} 0.5 1790000000.0', 3],
  ])("contains the value of %s", (line, value) => {
    expect(parsePrometheusText(line)[0]?.value).toBe(value);
  });

  test.each([
    ['a{x="1,2",y="}"} 1', { x: "1,2", y: "}" }],
    [
      String.raw`a{x="\"quoted\"",y="back\\slash",z="line\nbreak"} 1`,
      { x: '"quoted"', y: "back\\slash", z: "line\nbreak" },
    ],
    ['a{ x = "1" , y="2", } 1', { x: "1", y: "2" }],
    ['a{x=""} 1', { x: "" }],
  ])("contains the labels of %s", (line, labels) => {
    expect(parsePrometheusText(line)[0]?.labels).toEqual(labels);
  });

  test.each([
    "<!doctype html>",
    '{"error": 1}',
    "a",
    "a one",
    "a{x=1} 1",
    'a{x="1} 1',
    'a{x="1" y="2"} 1',
    "1a 1",
  ])("is rejected if it contains %s", (line) => {
    expect(() => parsePrometheusText(`ok 1\n${line}`)).toThrow(new NotPrometheusTextError(line));
  });

  it("parses the output of prom-client, with any labels", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "binary" }),
        fc.double({ min: 0, noDefaultInfinity: true, noNaN: true }),
        async (text, value) => {
          const registry = new Registry();
          const options = { help: "x", labelNames: ["text"], registers: [registry] };
          new Counter({ ...options, name: "c" }).inc({ text }, value);
          new Histogram({ ...options, name: "h", buckets: [1] }).observe({ text }, 0.5);
          const samples = parsePrometheusText(await registry.metrics());
          expect(samples).toContainEqual({ name: "c", labels: { text }, value: value });
          expect(samples).toContainEqual({
            name: "h_bucket",
            labels: { le: "+Inf", text },
            value: 1,
          });
        },
      ),
    );
  });
});
