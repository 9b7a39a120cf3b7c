import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { drawChart } from "../../bench/report/chart.js";
import { markdownOf } from "../../bench/report/markdown.js";
import { readSections } from "../../bench/report/read-sections.js";
import type { Section } from "../../bench/report/section.js";
import { file } from "./results.js";

/** Reads the sections of a file with the given content. */
function sectionsOf(text: string): Section[] {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-report-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "result.json");
  writeFileSync(path, text);
  return readSections(path);
}

function onlySection(content: object): Section {
  const [section] = sectionsOf(JSON.stringify(content));
  if (section === undefined) throw new Error("no section");
  return section;
}

const engineFile = {
  date: file.date,
  machine: file.machine,
  options: { modelPath: "/m/135m.q8_0.gguf", threads: 2, generatedTokens: 128, runs: 1 },
  rows: [
    { sequences: 1, ours: [50], peer: [50], ratio: 1, steps: [] },
    { sequences: 8, ours: [190], peer: [200], ratio: 0.95, steps: [] },
  ],
};

describe("a section of the report", () => {
  it("contains the chart, the table and the measurement settings in Markdown", () => {
    expect(markdownOf(onlySection(file), "images/bench-x.svg")).toMatchInlineSnapshot(`
      "### decode (15m+qwen2)

      Clients ask at once. Model 15m+qwen2, 8 slots of 512 tokens, 2 threads, 2 runs; CPU, 2 cores, 8 GiB, Node.js v20.20.0; 2026-01-31.

      ![decode (15m+qwen2): ggufd and peer <1>](images/bench-x.svg)

      | clients | measure | ggufd | spread | peer <1> | spread | ratio | target |  |
      | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
      | 8 | output, tok/s | 100 | 20 % | 80.0 | 50 % | 1.25 | ≥ 1.02 | met |

      - ggufd (0.1.0): \`node main.js serve\`
      - ggufd: 3 requests failed: HTTP 503
      - The load client used at most 5 % of one core."
    `);
  });

  it("has a chart with a bar for each server, scaled to the largest value", () => {
    const svg = drawChart(onlySection(file));
    const widths = [...svg.matchAll(/class="side-(\d)" x="120" .*? width="([\d.]+)"/g)];
    expect(widths.map(([, side, width]) => [side, width])).toEqual([
      ["0", "460.0"],
      ["1", "368.0"],
    ]);
    expect(svg).toContain("output, tok/s (higher is better)");
    expect(svg).toContain(">1.25</text>");
  });

  it("has a chart that is one SVG document with a text alternative", () => {
    const svg = drawChart(onlySection(file));
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 760 \d+"/);
    expect(svg).toContain("peer &lt;1&gt;");
    expect(svg).not.toContain("peer <1>");
    expect(svg).toContain("output at 8 clients: ggufd 100 tok/s, peer &lt;1&gt; 80.0 tok/s.");
  });

  it("has one chart panel for all subjects of a measure", () => {
    const measures = {
      a: { label: "output", unit: "tok/s", better: "higher", subject: "enums" },
      b: { label: "output", unit: "tok/s", better: "higher", subject: "regex" },
    };
    const results = file.results.map((result) => ({ ...result, measures, targets: [] }));
    const section = onlySection({ ...file, results });
    const svg = drawChart(section);
    expect(svg.match(/class="panel"/g)).toHaveLength(1);
    expect([...svg.matchAll(/class="count"[^>]*>([^<]*)</g)].map(([, name]) => name)).toEqual([
      "enums, 8",
      "regex, 8",
    ]);
    expect(markdownOf(section, "x.svg")).toContain("| 8 | enums: output, tok/s |");
  });

  it("has a chart with an empty bar for a missing value", () => {
    const runs = file.results[0]?.runs.filter(({ side }) => side === "ggufd");
    const results = file.results.map((result) => ({ ...result, runs }));
    const svg = drawChart(onlySection({ ...file, results }));
    expect(svg).toContain('width="0.0"');
    expect(svg).not.toMatch(/NaN|Infinity/);
  });

  it("about the engine has a target of 0.97 from 8 sequences", () => {
    const { rows, concurrencyLabel, sides } = onlySection(engineFile);
    expect(concurrencyLabel).toBe("sequences");
    expect(sides).toEqual(["ggufd", "llama-batched-bench"]);
    expect(rows.map(({ target }) => target)).toEqual([
      undefined,
      { text: "≥ 0.97", verdict: "missed" },
    ]);
  });
});

describe("readSections rejects", () => {
  it.each(["{}", "[]", "null", '{"format":2}'])("%s", (text) => {
    expect(() => sectionsOf(text)).toThrow(
      /: expected a file that npm run bench wrote, got other JSON$/,
    );
  });

  it("a file that is not JSON", () => {
    expect(() => sectionsOf("{")).toThrow(/: expected a file that npm run bench wrote: /);
  });

  it("a missing file", () => {
    expect(() => readSections("/no/such.json")).toThrow(
      /^\/no\/such\.json: expected a file .*ENOENT/,
    );
  });
});
