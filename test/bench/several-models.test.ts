import { setImmediate as immediately } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { runScenario } from "../../bench/run-scenario.js";
import {
  gapsBesideLoads,
  type StreamsBesideLoads,
  switching,
  switchMeasures,
} from "../../bench/scenarios/switching.js";
import type { Side } from "../../bench/servers/server.js";
import { formatResult } from "../../bench/summary/result-table.js";
import type { GenerationModel } from "../../src/core/model-directory.js";
import { GenerationScheduler } from "../../src/queue/generation-scheduler.js";
import { runApp } from "../support/running-app.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { noAdapters } from "../support/served-model.js";
import { record } from "./records.js";

/** Engine that answers with a fixed letter. */
function engineOf(letter: string, asked: string[]): ScriptedEngine {
  return new ScriptedEngine(
    ({ stopping }) => {
      asked.push(letter);
      return {
        parts: Array.from({ length: stopping.maxTokens ?? 1 }, () => letter),
        ending: "length",
        // Sends each chunk in a separate event-loop iteration, so that gaps are measurable.
        before: () => immediately(),
      };
    },
    { slots: 4, contextSize: 100_000 },
  );
}

function modelOf(alias: string, engine: ScriptedEngine): GenerationModel {
  const generations = new GenerationScheduler(engine, {
    model: alias,
    limits: { requests: 100, promptTokens: 1_000_000 },
    queueTimeoutMs: 0,
    drawSeed: () => 1,
    onRefused: () => {},
  });
  const { description } = engine;
  return {
    kind: "generation",
    alias,
    createdAt: 1,
    engine: description,
    generations,
    endReasoning: (requestId) => generations.endReasoning(requestId),
    slots: { list: () => generations.slots(), command: (command) => engine.command(command) },
    adapters: noAdapters,
    texts: engine,
  };
}

/** A side with three loaded models: `a`, `b` and the application's model, which is listed last. */
function scripted(asked: string[]): Side {
  return {
    kind: "ggufd",
    label: "ours",
    async start() {
      const otherModels = ["a", "b"].map((letter) => modelOf(letter, engineOf(letter, asked)));
      const { url, close } = await runApp(engineOf("c", asked), { otherModels });
      const about = { version: "1", command: ["scripted"], pid: process.pid };
      return { baseUrl: `${url}/v1`, ...about, stop: close };
    },
  };
}

const measure = (side: Side) => {
  const { model, slots, contextSize, clients } = switching.defaults.quick;
  return runScenario(switching, {
    settings: {
      ...{ model, slots, contextSize, clients, threads: 1 },
      ...{ runs: 1, seed: "s", effort: "quick" },
    },
    sides: [side],
    signal: new AbortController().signal,
    onRun: () => undefined,
    onSample: () => undefined,
  });
};

describe("the scenario switch", () => {
  it("produces all of its measures and uses every model", async () => {
    const asked: string[] = [];
    const result = await measure(scripted(asked));
    const [{ errors, values } = expect.fail("no run")] = result.runs;
    expect(errors).toEqual({});
    expect(Object.keys(values).toSorted()).toEqual(Object.keys(switching.measures).toSorted());
    expect(new Set(asked)).toEqual(new Set(["a", "b", "c"]));
    expect(formatResult(result)).not.toMatch(/NaN|undefined/);
  });

  it("requests the models in rotation", async () => {
    const asked: string[] = [];
    await measure(scripted(asked));
    // The two token-measuring requests and the warm-up use the first model; then each is used in
    // turn, three times.
    expect(asked.slice(3, 12).join("")).toBe("abcabcabc");
  });
});

describe("measures of model switches", () => {
  it("are TTFTs and the memory growth from the first five to the last five readings", () => {
    const records = [100, 200, 900].map((ms) => record({ chunkTimesMs: [ms, ms + 1] }));
    const megabytes = [9, 11, 10, 10, 12, 99, 13, 15, 14, 14, 15];
    const readings = megabytes.map((mb) => ({ server: 1e6, engine: (mb - 1) * 1e6 }));
    expect(switchMeasures(records, readings)).toEqual({
      ttftP50: 200,
      ttftP99: 900,
      memoryFirst: 10,
      memoryLast: 14,
      memoryGrowth: 4,
    });
  });

  it("are the gaps of streams during a load compared with undisturbed gaps", () => {
    const observed: StreamsBesideLoads = {
      streams: [
        record({ chunkTimesMs: [0, 10, 20, 30, 90, 100, 130] }),
        record({ chunkTimesMs: [0, 500], error: "broke off" }),
      ],
      calm: { fromMs: 0, toMs: 30 },
      loads: [{ fromMs: 85, toMs: 95 }],
    };
    expect(gapsBesideLoads(observed)).toEqual({ calmItlP99: 10, loadItlP99: 60, itlRatio: 6 });
  });
});
