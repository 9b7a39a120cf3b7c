import { describe, expect, it } from "vitest";
import { runScenario } from "../../bench/run-scenario.js";
import { rolling, rollingMeasures } from "../../bench/scenarios/rolling.js";
import type { Replica, Side } from "../../bench/servers/server.js";
import { sidesOf } from "../../bench/sides.js";
import { runApp } from "../support/running-app.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { counts, record } from "./records.js";

const settings = { model: "shipped", slots: 2, contextSize: 512, threads: 1, clients: [2] };

/** A side whose daemons share one application and record restarts. */
function scripted(restarted: string[]): Side {
  const replica = (name: string): Replica => ({
    name,
    restart: async () => void restarted.push(name),
  });
  return {
    kind: "ggufd",
    label: "scripted",
    async start() {
      const engine = new ScriptedEngine(() => ({ parts: ["a", "b"], ending: "length" }), {
        slots: 2,
        contextSize: 100_000,
      });
      const { url, close } = await runApp(engine);
      const replicas = [replica("a"), replica("b")];
      const about = { version: "1", command: ["scripted"], pid: process.pid };
      return { baseUrl: `${url}/v1`, ...about, stop: close, replicas };
    },
  };
}

describe("the scenario rolling", () => {
  it("restarts the daemons one after another while clients send requests", async () => {
    const restarted: string[] = [];
    const result = await runScenario(rolling, {
      settings: { ...settings, runs: 1, seed: "s", effort: "quick" },
      sides: [scripted(restarted)],
      signal: new AbortController().signal,
      onRun: () => undefined,
      onSample: () => undefined,
    });
    expect(restarted).toEqual(["a", "b"]);
    const [{ errors, requests, samples, values } = expect.fail("no run")] = result.runs;
    expect(errors).toEqual({});
    expect(values.errors).toBe(0);
    // Four answers per client before the first restart, between the restarts and after the last.
    expect(requests).toBeGreaterThanOrEqual(3 * 4 * 2);
    expect(samples.map((sample) => sample.daemon)).toEqual(["a", "b"]);
  });

  it("counts failed requests and measures the others", () => {
    const records = [
      record({ chunkTimesMs: [100], endedAtMs: 200, tokens: counts({ completion: 1 }) }),
      record({ chunkTimesMs: [300], endedAtMs: 1000, tokens: counts({ completion: 1 }) }),
      record({ endedAtMs: 9000, error: "503 (model_unavailable)" }),
    ];
    expect(rollingMeasures(records)).toEqual({
      errors: 1,
      requests: 3,
      ttftP50: 100,
      ttftP99: 300,
      wall: 1,
    });
  });

  it("runs ggufd alone behind HAProxy, regardless of the compared server", () => {
    const peer = { kind: "url", baseUrl: "http://127.0.0.1:8000/v1" } as const;
    const server = { ...settings, modelPath: "/m/x.gguf", purpose: "generate" } as const;
    const sides = sidesOf(rolling.comparison, server, { peer, oursFlags: [], peerFlags: [] });
    expect(sides.map(({ label }) => label)).toEqual(["ggufd behind HAProxy"]);
  });
});
