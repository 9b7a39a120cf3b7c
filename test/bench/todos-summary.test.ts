import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { drawChart } from "../../bench/report/chart.js";
import { markdownOf } from "../../bench/report/markdown.js";
import { readSections } from "../../bench/report/read-sections.js";
import { formatTodos, summariseTodos, todosProgress } from "../../bench/todos/todos-table.js";
import { listBySize } from "../../bench/todos/workloads/list-by-size.js";
import { writes } from "../../bench/todos/workloads/writes.js";
import { todosFile } from "./todos-results.js";

const { rate } = writes.measures;
const rateOnly = rate === undefined ? [] : [{ ...writes, measures: { rate } }];

describe("summariseTodos", () => {
  it("computes medians, spreads, the ratio to the plain server and the target", () => {
    expect(summariseTodos(todosFile, rateOnly)).toEqual([
      {
        items: 10_000,
        clients: 256,
        measure: rate,
        sides: [
          { median: 4000, spread: 0.05 },
          { median: 100, spread: 0.2 },
          { median: 50, spread: 0 },
        ],
        ratio: 40,
        target: { text: "≥ 20", verdict: "met" },
      },
    ]);
  });

  it("has a target of 20 times the plain server only at one size and one number of clients", () => {
    const at = (items: number, clients: number) => {
      const options = { ...todosFile.options, items: [items], clients: [clients] };
      return summariseTodos({ ...todosFile, options }, rateOnly)[0]?.target;
    };
    expect(at(1000, 256)).toBeUndefined();
    expect(at(10_000, 32)).toBeUndefined();
    expect(at(10_000, 256)?.verdict).toBe("met");
  });

  it("evaluates targets for ggufd alone, without a ratio", () => {
    const rows = summariseTodos(todosFile, [listBySize]);
    expect(rows.map(({ ratio }) => ratio)).toEqual([Number.NaN, Number.NaN]);
    expect(rows.map(({ target }) => target)).toEqual([
      { text: "ours ≤ 2", verdict: "met" },
      { text: "ours ≤ 2", verdict: "missed" },
    ]);
  });
});

describe("results of the todos benchmark", () => {
  it("are aligned for a terminal", () => {
    const rows = summariseTodos(todosFile, [listBySize, ...rateOnly]);
    expect(formatTodos(todosFile, rows)).toMatchInlineSnapshot(`
      "todos: loads of 5 seconds, 2 runs

      items  clients  measure                                   unit   ggufd  spread  lowdb  spread  lowdb + fsync  spread  ratio    target
      10000        1  list by id to that of 100 items, p50      ×       1.20     0 %      –       –              –       –      –  ours ≤ 2     met
      10000        1  list by -title to that of 100 items, p50  ×       2.10     0 %      –       –              –       –      –  ours ≤ 2  missed
      10000      256  create                                    per s   4000     5 %    100    20 %           50.0     0 %  40.00      ≥ 20     met

      A process of load clients used at most 50 % of one core."
    `);
  });

  it("are reported after each run", () => {
    const [first] = todosFile.runs;
    const line = first && todosProgress(first, [listBySize], todosFile.options);
    expect(line).toMatchInlineSnapshot(
      `"todos, 10000 items, clients 1, run 1 of 2, ggufd: list by id to that of 100 items, p50 1.20 ×, list by -title to that of 100 items, p50 2.10 ×; client 20 % of a core"`,
    );
  });

  it("have one report section for each size", () => {
    const folder = mkdtempSync(join(tmpdir(), "ggufd-report-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, "todos.json");
    const options = { ...todosFile.options, items: [1000, 10_000] };
    writeFileSync(path, JSON.stringify({ ...todosFile, options }));
    const sections = readSections(path);
    expect(sections.map(({ name, title }) => [name, title])).toEqual([
      ["todos-1000", "todos (1,000 items)"],
      ["todos-10000", "todos (10,000 items)"],
    ]);
    const [, larger] = sections;
    if (larger === undefined) throw new Error("no section");
    const markdown = markdownOf(larger, "images/bench-todos-10000.svg");
    expect(markdown).toContain(
      "| 256 | create, per s | 4000 | 5 % | 100 | 20 % | 50.0 | 0 % | 40.00 | ≥ 20 | met |",
    );
    expect(markdown).toContain("- ggufd (0.1.0): `node main.js serve`");
    const svg = drawChart(larger);
    expect(svg).toContain('class="side-2"');
    expect(svg).not.toMatch(/NaN|Infinity/);
  });
});
