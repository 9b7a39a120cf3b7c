import { describe, expect, it } from "vitest";
import { drawChart } from "../../bench/report/chart.js";
import { ticksTo } from "../../bench/report/curve-panel.js";
import { curvePlots } from "../../bench/report/curve-plot.js";
import { scenarioSections } from "../../bench/report/read-sections.js";
import type { Sample } from "../../bench/scenarios/scenario.js";
import type { ScenarioResult } from "../../bench/summary/result-file.js";
import { file, result, run } from "./results.js";

const sample = (rate: number, strict: number, loose: number) => ({
  "req/s": rate,
  "strict %": strict,
  "loose %": loose,
});

const swept: ScenarioResult = {
  ...result,
  curve: { label: "within limits, %", over: "req/s", lines: ["strict %", "loose %"], mark: 90 },
  runs: [
    run("ggufd", 1, { samples: [sample(1, 100, 100), sample(2, 40, 90)] }),
    run("ggufd", 2, { samples: [sample(1, 98, 100), sample(4, 0, 20)] }),
    run("peer <1>", 1, { samples: [sample(4, 0, 0), sample(1, 50, 60)] }),
  ],
};

function chartOfSwept(): string {
  const [section] = scenarioSections({ ...file, results: [swept] });
  if (section === undefined) throw new Error("no section");
  return drawChart(section);
}

describe("curvePlots", () => {
  it("returns the median of the runs at each rate, for each server and sampled value", () => {
    const [plot, ...others] = curvePlots(swept);
    expect(others).toEqual([]);
    expect(plot?.lines).toEqual([
      { name: "strict %", side: 0, points: [1, 2, 4].map((x, i) => ({ x, y: [99, 40, 0][i] })) },
      { name: "loose %", side: 0, points: [1, 2, 4].map((x, i) => ({ x, y: [100, 90, 20][i] })) },
      { name: "strict %", side: 1, points: [1, 4].map((x, i) => ({ x, y: [50, 0][i] })) },
      { name: "loose %", side: 1, points: [1, 4].map((x, i) => ({ x, y: [60, 0][i] })) },
    ]);
  });

  it("returns one plot for each number of clients", () => {
    const settings = { ...result.settings, clients: [8, 16] };
    expect(curvePlots({ ...swept, settings }).map(({ clients }) => clients)).toEqual([8, 16]);
  });

  it("omits samples without both values", () => {
    const samples: Sample[] = [{ "req/s": 1 }, { "req/s": "one", "strict %": 5, "loose %": 6 }];
    const [plot] = curvePlots({ ...swept, runs: [run("ggufd", 1, { samples })] });
    expect(plot?.lines.flatMap(({ points }) => points)).toEqual([]);
  });

  it("returns no plots for a scenario without a curve", () => {
    expect(curvePlots(result)).toEqual([]);
  });
});

describe("the chart of a curve", () => {
  it("has a line for each server and sampled value, scaled to round axes from 0", () => {
    const lines = [...chartOfSwept().matchAll(/class="curve (\S+) (\S+)" points="(.*?)"/g)];
    expect(lines.map(([, stroke, dash]) => `${stroke} ${dash}`).sort()).toEqual([
      "stroke-0 dash-0",
      "stroke-0 dash-1",
      "stroke-1 dash-0",
      "stroke-1 dash-1",
    ]);
    const loose = lines.find(([, stroke, dash]) => stroke === "stroke-0" && dash === "dash-1");
    const points = loose?.[3]?.split(" ").map((point) => point.split(",").map(Number)) ?? [];
    const [first, second, last] = points.map(([x = 0, y = 0]) => ({ x, y }));
    if (first === undefined || second === undefined || last === undefined) expect.unreachable();
    expect(last.x).toBe(744);
    expect(second.x - first.x).toBeCloseTo((744 - 60) / 4, 1);
    // 100 % is at the top of 200 pixels, 90 % is 20 pixels lower.
    expect([second.y - first.y, last.y - first.y]).toEqual([20, 160]);
  });

  it("has no dashed line if the curve has no mark", () => {
    const { mark, ...curve } = swept.curve ?? expect.fail("no curve");
    const chart = (result: ScenarioResult) =>
      scenarioSections({ ...file, results: [result] })
        .map(drawChart)
        .join("");
    expect(mark).toBe(90);
    expect(chart(swept)).toContain('class="axis dash-2"');
    expect(chart({ ...swept, curve })).not.toMatch(/class="axis dash-2"|NaN|undefined/);
  });

  it("describes its points in a text alternative", () => {
    expect(chartOfSwept()).toContain(
      "within limits, % (8 clients). ggufd, strict %: 99.0 at 1.00 req/s, 40.0 at 2.00 req/s, 0 at",
    );
  });

  it("can be drawn without points", () => {
    const [section] = scenarioSections({ ...file, results: [{ ...swept, runs: [] }] });
    expect(section && drawChart(section)).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe("axis ticks", () => {
  it.each([
    [100, [0, 20, 40, 60, 80, 100]],
    [2.84, [0, 0.5, 1, 1.5, 2, 2.5, 3]],
    [0.7, [0, 0.2, 0.4, 0.6, 0.8]],
    [7, [0, 2, 4, 6, 8]],
    [0, [0, 1]],
  ])("up to %d are round numbers", (max, ticks) => {
    expect(ticksTo(max).map((tick) => Number(tick.toPrecision(6)))).toEqual(ticks);
  });
});
