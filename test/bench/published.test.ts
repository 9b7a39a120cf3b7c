import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { decidingRows, decidingRowsOf } from "../../bench/published/deciding-rows.js";
import { type PublishedResult, toPublished } from "../../bench/published/published-result.js";
import { parsePublished, readPublished } from "../../bench/published/read-published.js";
import { publishedTables } from "../../bench/published/tables.js";
import { scenarioSections } from "../../bench/report/read-sections.js";
import { scenarios } from "../../bench/scenarios/index.js";
import type { Measure } from "../../bench/scenarios/scenario.js";
import { measureName } from "../../bench/summary/format.js";
import {
  type ResultFile,
  resultName,
  type ScenarioResult,
} from "../../bench/summary/result-file.js";
import { workloads } from "../../bench/todos/workloads/index.js";
import { file, result, run } from "./results.js";

const kernels = { file: "libggml-cpu-x.so", sha256: "a".repeat(64) };
const origin = { commit: "b".repeat(40), isChanged: false, command: "npm run bench -- decode" };
const [ours, other] = [
  { label: "ggufd", version: "0.1.0", command: ["node"], kernels },
  { label: "llama-server", version: "b1", command: ["llama-server"], kernels },
];
const measured: ScenarioResult = {
  ...result,
  sides: [ours, other],
  measures: {
    rate: { label: "output", unit: "tok/s", better: "higher" },
    wait: { label: "TTFT p50", unit: "ms", better: "lower" },
    errors: { label: "errors", unit: "", better: "lower" },
  },
  runs: [
    run("ggufd", 1, { values: { rate: 50, wait: 100, errors: 0 } }),
    run("llama-server", 1, { values: { rate: 100, wait: 400, errors: 0 } }),
  ],
};

/** Published result, as read back from its file. */
function published(change: Partial<ResultFile> = {}, scenario: Partial<ScenarioResult> = {}) {
  const [section] = scenarioSections({
    ...file,
    origin,
    results: [{ ...measured, ...scenario }],
    ...change,
  });
  if (section === undefined) throw new Error("no section");
  return parsePublished(JSON.parse(JSON.stringify(toPublished(section))), "decode.json");
}

describe("a published result", () => {
  it("contains the medians and everything required to reproduce them", () => {
    expect(published()).toMatchObject({
      name: "decode-15m-qwen2",
      standing: "measured",
      origin,
      machine: file.machine,
      servers: [ours, other],
      rows: [{ ratio: 0.5 }, { ratio: 0.25 }, { ratio: Number.NaN }],
    });
  });

  it("is a smoke test if the run was quick", () => {
    const settings = { ...measured.settings, effort: "quick" as const };
    expect(published({}, { settings })).toMatchObject({ standing: "smoke" });
  });

  it.each<[string, Partial<ResultFile>, string]>([
    ["an origin", { origin: undefined }, "decode.json: origin: "],
    ["a commit", { origin: { ...origin, commit: "" } }, "decode.json: origin.commit: "],
    [
      "a clean working tree",
      { origin: { ...origin, isChanged: true } },
      "decode.json: origin.isChanged: expected a working tree without uncommitted changes",
    ],
    ["a command", { origin: { ...origin, command: "" } }, "decode.json: origin.command: "],
    ["a machine", { machine: { ...file.machine, cpu: "" } }, "decode.json: machine.cpu: "],
  ])("is rejected without %s", (_, change, reason) => {
    expect(() => published(change)).toThrow(reason);
  });

  it.each<[string, Partial<ScenarioResult>, string]>([
    [
      "the servers use different kernels",
      { sides: [ours, { ...other, kernels: { ...kernels, sha256: "c".repeat(64) } }] },
      "servers.kernels: expected equal kernels, got ggufd: libggml-cpu-x.so aaa",
    ],
    [
      "the kernels of llama-server are unknown",
      { sides: [ours, { ...other, kernels: undefined }] },
      "servers.kernels: expected the kernels of llama-server, got none",
    ],
    [
      "the kernels of ggufd are unknown",
      { sides: [{ ...ours, kernels: undefined }, other] },
      "servers.kernels: expected the kernels of ggufd, got none",
    ],
    [
      "the kernels of a running server are unknown",
      { sides: [ours, { label: "http://127.0.0.1:8000/v1", version: "b1", command: [] }] },
      "servers.kernels: expected the kernels of http://127.0.0.1:8000/v1, got none",
    ],
    [
      "a server has no version",
      { sides: [ours, { ...other, version: "" }] },
      "servers[1].version: ",
    ],
  ])("is rejected if %s", (_, scenario, reason) => {
    expect(() => published({}, scenario)).toThrow(reason);
  });

  it("requires no kernels without a compared program, or if that program does not compute", () => {
    const alone = { ...ours, kernels: undefined };
    expect(published({}, { sides: [alone] }).servers).toHaveLength(1);
    expect(published({}, { sides: [alone, { ...alone, label: "lowdb" }] }).servers).toHaveLength(2);
  });

  it("must have the same name as its file", () => {
    const folder = mkdtempSync(join(tmpdir(), "ggufd-published-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "other.json"), JSON.stringify(published()));
    expect(() => readPublished(folder)).toThrow("expected the name other, got decode-15m-qwen2");
  });
});

describe("a deciding row", () => {
  const rowsOf = (measures: readonly [number, string][], value: PublishedResult = published()) =>
    decidingRowsOf(new Map([[value.name, value]]), [
      { result: "decode-15m-qwen2", traffic: "prompts", measures },
    ]);

  it("reports ggufd's advantage, whether higher or lower values are better", () => {
    const rows = rowsOf([
      [8, "output"],
      [8, "TTFT p50"],
      [8, "errors"],
    ]);
    expect(rows.map(({ advantage }) => advantage)).toEqual([0.5, 4, Number.NaN]);
    expect(rows[0]).toMatchObject({ peer: "llama-server", traffic: "prompts", clients: 8 });
  });

  it("counts as behind if only ggufd has errors", () => {
    const value = published(
      {},
      {
        runs: [
          run("ggufd", 1, { values: { rate: 1, wait: 1, errors: 3 } }),
          run("llama-server", 1, { values: { rate: 1, wait: 1, errors: 0 } }),
        ],
      },
    );
    expect(rowsOf([[8, "errors"]], value)[0]?.advantage).toBe(0);
  });

  it("is named in the error if its result lacks it", () => {
    expect(() => rowsOf([[9, "output"]])).toThrow(
      "decode-15m-qwen2: expected output at 9 clients, got no such row",
    );
  });

  it("is omitted if its result is not published, and the result is listed as not measured", () => {
    const results = new Map<string, PublishedResult>();
    expect(decidingRowsOf(results)).toEqual([]);
    expect(publishedTables(results).get("deciding")).toMatch(
      /Not measured yet: startup-135m-gpt-2, .*, todos-10000\.$/,
    );
  });

  const fromScenarios = decidingRows.filter(({ result }) => !/^(engine|todos-)/.test(result));

  /** Models of results that are measured with `--model`. */
  const otherModels: Readonly<Record<string, string>> = { "decode-1b-gpt-2": "1b+gpt-2" };

  it.each(fromScenarios)("of $result is measured by its scenario by default", (selection) => {
    const scenario = scenarios.find(({ name }) => selection.result.startsWith(`${name}-`));
    if (scenario === undefined) throw new Error("no such scenario");
    const { model, clients } = scenario.defaults.full;
    const settings = { ...measured.settings, model: otherModels[selection.result] ?? model };
    expect(resultName({ ...measured, scenario: scenario.name, settings })).toBe(selection.result);
    for (const [count, name] of selection.measures) {
      expect(clients).toContain(count);
      expect(Object.values(scenario.measures).flatMap(namesOf)).toContain(name);
    }
  });

  it("of the to-do service is measured by a workload by default", () => {
    const measures = workloads.flatMap((workload) => Object.values(workload.measures));
    const names = measures.flatMap(namesOf);
    const todos = decidingRows.filter(({ result }) => result.startsWith("todos-"));
    expect(todos).not.toEqual([]);
    for (const [, name] of todos.flatMap((selection) => selection.measures)) {
      expect(names).toContain(name);
    }
  });
});

/** Names by which a deciding row may select a measure. */
function namesOf(measure: Measure): readonly string[] {
  return [measure.label, measureName(measure)];
}
