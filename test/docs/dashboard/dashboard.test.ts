import { describe, expect, it, test } from "vitest";
import {
  drawDashboard,
  minutesOf,
  roundUp,
  stacked,
} from "../../../docs/scripts/dashboard/dashboard-picture.js";
import { formatValue } from "../../../docs/scripts/dashboard/format-value.js";
import {
  type Dashboard,
  type FilledPanel,
  readPanels,
  withVariables,
} from "../../../docs/scripts/dashboard/read-panels.js";

const panel: FilledPanel = {
  kind: "timeseries",
  title: "Errors & refusals",
  unit: "reqps",
  stacking: "apart",
  place: { x: 12, y: 3, w: 12, h: 8 },
  lines: [
    {
      name: "mini",
      points: [
        { at: 0, value: 1 },
        { at: 60, value: undefined },
        { at: 120, value: 3 },
        { at: 180, value: 2 },
        { at: 300, value: 2 },
      ],
    },
  ],
};

describe("the drawing of a dashboard", () => {
  it("has the title, axis and lines of each panel, with gaps for missing values", () => {
    const svg = drawDashboard("A <dashboard>", [panel]);
    expect(svg).toContain("A &lt;dashboard&gt;");
    expect(svg).toContain("Errors &amp; refusals</text>");
    expect(svg).toContain(">5/s</text>");
    expect(svg).toContain(">mini</text>");
    expect(svg.match(/<polyline/g)).toHaveLength(3);
  });

  it("marks panels without data", () => {
    const empty = { ...panel, lines: [] };
    expect(drawDashboard("", [empty])).toContain("no data");
    expect(drawDashboard("", [{ ...empty, kind: "stat" }])).toContain("no data");
  });

  it("shows the last value of a stat panel", () => {
    const svg = drawDashboard("", [{ ...panel, kind: "stat", unit: "s" }]);
    expect(svg).toContain(">2 s</text>");
  });

  it("draws stacked lines as areas, the lowest one in front", () => {
    const lines = [1, 0].map((value) => ({ name: `${value}`, points: [{ at: 5, value }] }));
    const areas = drawDashboard("", [{ ...panel, stacking: "stacked", lines }]).match(
      /<polygon.*/g,
    );
    expect(areas?.map((area) => /fill="(.*?)"/.exec(area)?.[1])).toEqual(["#f2cc0c", "#73bf69"]);
  });

  it("adds up the values of stacked lines", () => {
    const lines = ["a", "b"].map((name) => ({ name, points: [{ at: 5, value: 2 }] }));
    expect(stacked(lines).map(({ points }) => points[0]?.value)).toEqual([2, 4]);
  });
});

test.each([
  [0, "none", 1],
  [0.013, "s", 0.02],
  [3, "none", 5],
  [7, "none", 10],
  [100, "none", 100],
  [300 * 2 ** 20, "bytes", 512 * 2 ** 20],
])("an axis for values up to %d in %s ends at %d", (value, unit, end) => {
  expect(roundUp(value, unit)).toBeCloseTo(end, 10);
});

test.each([
  [1.7, [0, 0.5, 1, 1.5]],
  [6, [0, 2, 4, 6]],
  [4000, [0, 1000, 2000, 3000, 4000]],
])("an axis of %d minutes has labels at %j", (length, minutes) => {
  expect(minutesOf(length)).toEqual(minutes);
});

test.each([
  [0.0123, "s", "12.3 ms"],
  [2, "s", "2 s"],
  [0.5, "percentunit", "50 %"],
  [3 * 2 ** 20, "bytes", "3 MiB"],
  [1.5 * 2 ** 30, "bytes", "1.5 GiB"],
  [12_345, "none", "12k"],
])("%d in %s is formatted as %s", (value, unit, written) => {
  expect(formatValue(value, unit)).toBe(written);
});

describe("the panels of a dashboard", () => {
  const dashboard: Dashboard = {
    title: "ggufd",
    panels: [
      {
        type: "timeseries",
        title: "Tokens",
        gridPos: panel.place,
        targets: [
          {
            expr: 'rate(x{model_name=~"$model"}[$__rate_interval])',
            legendFormat: "{{model_name}} p95",
          },
        ],
        fieldConfig: { defaults: { unit: "none", custom: { stacking: { mode: "normal" } } } },
      },
    ],
  };

  it("are filled with the results of their queries", async () => {
    const queries: string[] = [];
    const [filled] = await readPanels(dashboard, async (query) => {
      queries.push(query);
      return [
        {
          metric: { model_name: "mini" },
          values: [
            [10, "1.5"],
            [20, "NaN"],
          ],
        },
      ];
    });
    expect(queries).toEqual(['rate(x{model_name=~".*"}[20s])']);
    expect(filled).toMatchObject({
      kind: "timeseries",
      stacking: "stacked",
      lines: [
        {
          name: "mini p95",
          points: [
            { at: 10, value: 1.5 },
            { at: 20, value: undefined },
          ],
        },
      ],
    });
  });

  it("are rejected if their type cannot be drawn", async () => {
    const [tokens] = dashboard.panels;
    if (tokens === undefined) throw new Error("no panel");
    const odd = { ...dashboard, panels: [{ ...tokens, type: "heatmap" }] };
    await expect(readPanels(odd, async () => [])).rejects.toThrow("heatmap");
  });

  it("have no Grafana variables in their queries", () => {
    expect(withVariables('x{instance=~"$instance"}[$__rate_interval]')).not.toContain("$");
  });
});
