import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runScenario } from "../../bench/run-scenario.js";
import { chaos } from "../../bench/scenarios/chaos.js";
import { decode } from "../../bench/scenarios/decode.js";
import { scenarios } from "../../bench/scenarios/index.js";
import { page } from "../../bench/scenarios/page.js";
import type { Calibration, Scenario } from "../../bench/scenarios/scenario.js";
import type { Side } from "../../bench/servers/server.js";
import type { ResultSettings, RunResult } from "../../bench/summary/result-file.js";
import { formatResult } from "../../bench/summary/result-table.js";
import { GgufdError } from "../../src/core/errors.js";
import type { GenerationRequest } from "../../src/core/generation-request.js";
import { findChromium } from "../support/chromium.js";
import { runApp } from "../support/running-app.js";
import { type Script, ScriptedEngine } from "../support/scripted-engine.js";
import { someAdapter } from "../support/some-adapter.js";
import { storeInMemory } from "../support/store-in-memory.js";
import { openStoredBatches } from "../support/stored-batches.js";
import { poolingSide } from "./pooling-server.js";

/** The page, which is built before these tests. */
const BUILT_PAGE = fileURLToPath(new URL("../../dist/page/built", import.meta.url));

/** Without a browser, the test is skipped locally and fails in CI. */
const hasBrowser = findChromium() !== undefined || process.env.CI !== undefined;

/** A malformed request may require more than the maximum length of an array. */
const MAX_PARTS = 1000;

/** An answer of the requested length. */
const fullLength = ({ stopping }: GenerationRequest): Script => ({
  parts: Array.from({ length: Math.min(MAX_PARTS, stopping.maxTokens ?? 1) }, () => "a"),
  ending: "length",
});

const died = new GgufdError("model_unavailable", "the engine died");

const someAdapters = Array.from({ length: 8 }, (_, id) => someAdapter(`adapter-${id}`));

/** A side whose server is the application with a scripted engine. */
function scripted(label: string, prompts: string[], script = fullLength): Side {
  return {
    kind: "ggufd",
    label,
    async start() {
      const engine = new ScriptedEngine(
        (request) => {
          prompts.push(request.prompt.messages.map(({ content }) => content).join("\n"));
          return script(request);
        },
        {
          ...{ slots: 4, contextSize: 100_000, rawScript: fullLength, adapters: someAdapters },
          media: ["image"],
        },
      );
      const { batches } = await openStoredBatches();
      const { url, close } = await runApp(engine, {
        ...{ todos: storeInMemory(), page: BUILT_PAGE, batches },
      });
      const baseUrl = `${url}/v1`;
      return {
        baseUrl,
        version: "1",
        command: ["scripted"],
        pid: process.pid,
        readyMs: 1,
        stop: close,
      };
    },
  };
}

/** Sides with servers for the scenario's purpose: one, or two if they are compared. */
function sidesFor({ purpose = "generate", comparison }: Scenario): [Side, ...Side[]] {
  if (comparison.kind === "alone") return [scripted("ours", [])];
  return purpose === "generate"
    ? [scripted("ours", []), scripted("peer", [])]
    : [poolingSide("ours", 1), poolingSide("peer", 1)];
}

function settingsOf({ defaults: { quick } }: Scenario): ResultSettings {
  const { model, slots, contextSize, clients } = quick;
  return { model, slots, contextSize, threads: 1, clients, runs: 2, seed: "s", effort: "quick" };
}

const measure = (
  scenario: Scenario,
  sides: readonly [Side, ...Side[]],
  finishedRuns: RunResult[] = [],
  settings = settingsOf(scenario),
) =>
  runScenario(scenario, {
    settings,
    sides,
    signal: new AbortController().signal,
    onRun: (run) => finishedRuns.push(run),
    onSample: () => undefined,
  });

/** `stalls` sends the worst request of every route, which takes over twenty seconds. */
const SLOWEST_MS = 120_000;

describe("runScenario", () => {
  // Tested elsewhere: chaos, which kills processes, and scenarios with several models.
  const ofOneServer = scenarios.filter(
    (scenario) =>
      scenario !== chaos && scenario.models === undefined && (scenario !== page || hasBrowser),
  );

  it.each(ofOneServer.map((scenario) => [scenario.name, scenario] as const))(
    "runs %s and produces all of its measures without errors",
    async (_, scenario) => {
      const sides = sidesFor(scenario);
      const result = await measure(scenario, sides, [], { ...settingsOf(scenario), runs: 1 });
      const phases = sides.length * scenario.defaults.quick.clients.length;
      expect(result.runs).toHaveLength(phases);
      for (const { errors, values, requests } of result.runs) {
        expect(errors).toEqual({});
        expect(requests).toBeGreaterThan(0);
        // The scripted engine does not draft, answers immediately and rejects nothing.
        const measured = Object.keys(scenario.measures).filter(
          (name) => !/Accepted$|^itl: |^itlP50Ratio$|^refusalP99$/.test(name),
        );
        const isRatioOfNothing = (name: string) => /^itl: |^itlP50Ratio$/.test(name);
        expect(Object.keys(values).filter((name) => !isRatioOfNothing(name))).toEqual(measured);
      }
      expect(formatResult(result)).not.toMatch(/NaN|undefined/);
    },
    SLOWEST_MS,
  );

  it("alternates the servers and reports each run when it finishes", async () => {
    const finishedRuns: RunResult[] = [];
    const sides = [scripted("ours", []), scripted("peer", [])] as const;
    const result = await measure(decode, sides, finishedRuns);
    expect(finishedRuns).toEqual(result.runs);
    expect(finishedRuns.map(({ clients, run, side }) => `${clients} ${run} ${side}`)).toEqual([
      "1 1 ours",
      "1 1 peer",
      "1 2 ours",
      "1 2 peer",
      "4 1 ours",
      "4 1 peer",
      "4 2 ours",
      "4 2 peer",
    ]);
  });

  it("calibrates each server once and passes all calibrations to every run", async () => {
    const told: (readonly Calibration[])[] = [];
    let calibrated = 0;
    const calibrating: Scenario = {
      ...decode,
      calibrate: async () => ({ speed: ++calibrated }),
      async run(load) {
        told.push(load.calibrations);
        return {};
      },
    };
    const sides = [scripted("ours", []), scripted("peer", [])] as const;
    const { calibrations } = await measure(calibrating, sides);
    expect(calibrations).toEqual([
      { clients: 1, side: "ours", values: { speed: 1 } },
      { clients: 1, side: "peer", values: { speed: 2 } },
      { clients: 4, side: "ours", values: { speed: 3 } },
      { clients: 4, side: "peer", values: { speed: 4 } },
    ]);
    const [first, second] = [
      [{ speed: 1 }, { speed: 2 }],
      [{ speed: 3 }, { speed: 4 }],
    ];
    expect(told).toEqual([first, first, first, first, second, second, second, second]);
  });

  it("passes the embeddings and scores of all servers to every run", async () => {
    const sides = [poolingSide("ours", 1), poolingSide("peer", 9)] as const;
    const agreement = async (name: string, measureName: string) => {
      const scenario = scenarios.find((one) => one.name === name);
      if (scenario === undefined) throw new Error(`no scenario is named ${name}`);
      const { runs } = await measure(scenario, sides);
      return runs.map(({ values }) => values[measureName]);
    };
    for (const cosine of await agreement("embeddings", "lowestCosine")) {
      expect(cosine).toBeLessThan(0.99);
    }
    expect(await agreement("rerank", "largestDifference")).toEqual([8, 8, 8, 8]);
  });

  it("reports calibrations and samples as soon as they are available", async () => {
    const reported: string[] = [];
    const sampling: Scenario = {
      ...decode,
      calibrate: async () => ({ speed: 5 }),
      async run({ recordSample }) {
        recordSample({ rate: 1 });
        recordSample({ rate: 2 });
        return {};
      },
    };
    const { runs } = await runScenario(sampling, {
      settings: { ...settingsOf(decode), clients: [1], runs: 1 },
      sides: [scripted("ours", [])],
      signal: new AbortController().signal,
      onRun: () => reported.push("run"),
      onSample: (sample, { run, side }) =>
        reported.push(`${side.label} ${run} ${JSON.stringify(sample)}`),
    });
    expect(reported).toEqual([
      'ours calibration {"speed":5}',
      'ours 1 {"rate":1}',
      'ours 1 {"rate":2}',
      "run",
    ]);
    expect(runs[0]?.samples).toEqual([{ rate: 1 }, { rate: 2 }]);
  });

  it("sends both servers the same prompts, each once", async () => {
    const ours: string[] = [];
    const peer: string[] = [];
    await measure(decode, [scripted("ours", ours), scripted("peer", peer)]);
    // ggufd first receives two more prompts, which measure the tokens per word.
    expect(new Set(ours.slice(2))).toEqual(new Set(peer));
    expect(new Set(ours).size).toBe(ours.length);
  });

  it("counts failures by reason and measures the remaining requests", async () => {
    let requestCount = 0;
    const script = (request: GenerationRequest): Script => {
      // The first of the five requests to each server is the warm-up.
      const fails = request.stopping.maxTokens === 16 && requestCount++ % 5 === 2;
      return fails ? { parts: ["a"], ending: died } : fullLength(request);
    };
    const { runs } = await measure(decode, [scripted("ours", [], script)]);
    for (const { requests, errors, values } of runs) {
      expect(requests).toBe(4);
      expect(errors).toEqual({ "the engine died": 1 });
      expect(values.outputRate).toBeGreaterThan(0);
    }
  });

  it("counts refusals together if they differ only in numbers and ids", async () => {
    let count = 0;
    const script = (request: GenerationRequest): Script => {
      const fails = request.stopping.maxTokens === 16 && count++ % 5 > 2;
      const refusal = new GgufdError("server_overloaded", `${count} requests wait`);
      return fails ? { parts: [], ending: refusal } : fullLength(request);
    };
    const { runs } = await measure(decode, [scripted("ours", [], script)]);
    for (const { errors } of runs) {
      expect(Object.values(errors)).toEqual([2]);
      expect(Object.keys(errors)[0]).toMatch(/^HTTP 503: .*"N requests wait"/);
    }
  });

  it("rejects with the server's error if the first request fails, and stops the server", async () => {
    const side = scripted("ours", [], () => ({ parts: [], ending: died }));
    let stopped = 0;
    const watched: Side = {
      ...side,
      async start(signal) {
        const server = await side.start(signal);
        return { ...server, stop: () => server.stop().finally(() => stopped++) };
      },
    };
    await expect(measure(decode, [watched])).rejects.toThrow(
      /^the server rejected the first request: HTTP 503: .*the engine died/,
    );
    expect(stopped).toBe(1);
  });

  it("rejects when it is aborted during a run", async () => {
    const stop = new AbortController();
    const side = scripted("ours", [], (request) => {
      if (request.stopping.maxTokens === 16) stop.abort();
      return fullLength(request);
    });
    const run = runScenario(decode, {
      settings: settingsOf(decode),
      sides: [side],
      signal: stop.signal,
      onRun: () => undefined,
      onSample: () => undefined,
    });
    await expect(run).rejects.toThrow();
  });
});
