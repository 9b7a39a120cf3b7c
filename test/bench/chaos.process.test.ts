import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { runScenario } from "../../bench/run-scenario.js";
import { chaos } from "../../bench/scenarios/chaos.js";
import type { Side } from "../../bench/servers/server.js";
import { findServerProcesses } from "../../bench/servers/server-processes.js";
import { runApp } from "../support/running-app.js";
import { ScriptedEngine } from "../support/scripted-engine.js";

/** Interval at which the test checks whether a process has been stopped. */
const WATCH_INTERVAL_MS = 10;

/** Idle process with the engine's title, which is replaced when it exits. */
class StandIn {
  /** Faults that the process received. */
  readonly faults: string[] = [];
  #child: ChildProcess;
  #closed = false;

  constructor() {
    this.#child = this.#start();
  }

  close(): void {
    this.#closed = true;
    this.#child.kill("SIGKILL");
  }

  #start(): ChildProcess {
    const script = "setInterval(() => {}, 1000)";
    const child = spawn(process.execPath, ["-e", script, "process/engine-main.js"]);
    let stopped = false;
    const watchdog = setInterval(() => {
      stopped ||= isStopped(child);
      if (stopped) child.kill("SIGKILL");
    }, WATCH_INTERVAL_MS);
    child.on("exit", (_, signal) => {
      clearInterval(watchdog);
      if (this.#closed) return;
      this.faults.push(stopped ? "stopped" : String(signal));
      this.#child = this.#start();
    });
    return child;
  }
}

/** Whether the process state in `/proc` is T (stopped). */
function isStopped({ pid }: ChildProcess): boolean {
  try {
    return /\) T /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** The application with a scripted engine in this process, and an idle stand-in engine process. */
const side: Side = {
  kind: "ggufd",
  label: "scripted",
  async start() {
    const engine = new ScriptedEngine(() => ({ parts: ["a", "b"], ending: "length" }), {
      slots: 2,
      contextSize: 100_000,
    });
    const { url, close } = await runApp(engine);
    const about = { version: "1", command: ["scripted"], pid: process.pid };
    return { baseUrl: `${url}/v1`, ...about, stop: close };
  },
};

const run = (sides: readonly [Side]) =>
  runScenario(chaos, {
    settings: {
      ...{ model: "shipped", slots: 2, contextSize: 512, threads: 1, clients: [2] },
      ...{ runs: 1, seed: "s", effort: "quick" },
    },
    sides,
    signal: new AbortController().signal,
    onRun: () => undefined,
    onSample: () => undefined,
  });

describe("the scenario chaos", () => {
  it("kills and stops the engine process without failing client requests", async () => {
    const standIn = new StandIn();
    onTestFinished(() => standIn.close());
    const [{ values, samples } = expect.fail("no run")] = (await run([side])).runs;
    expect(standIn.faults.toSorted()).toEqual(["SIGABRT", "SIGKILL", "SIGSEGV", "stopped"]);
    expect(samples.map(({ signal }) => signal).toSorted()).toEqual([
      "SIGABRT",
      "SIGKILL",
      "SIGSEGV",
      "SIGSTOP",
    ]);
    expect(values).toMatchObject({
      ...{ faults: 4, hung: 0, wrong: 0, lost: 0, torn: 0, cut: 0, notReady: 0 },
      ...{ healthFailures: 0, refused: 0, unstable: 0 },
    });
    expect(values.answered).toBeGreaterThan(0);
  });

  it("fails if there is no engine process to kill", async () => {
    await expect(run([side])).rejects.toThrow("expected an engine's process");
  });
});

describe("findServerProcesses", () => {
  it("returns the engines by program or title, and no other child processes", async () => {
    const find = () =>
      findServerProcesses({
        ...{ baseUrl: "http://h/v1", version: "1", command: [], pid: process.pid },
        stop: async () => undefined,
      });
    const before = find().engines;
    const titled = 'process.title = "ggufd embedding"; console.log(); setInterval(() => {}, 1000)';
    const children = [
      spawn(process.execPath, ["-e", titled]),
      spawn(process.execPath, ["-e", titled.replace("ggufd embedding", "ggufd prompts")]),
    ];
    onTestFinished(() => children.forEach((child) => void child.kill("SIGKILL")));
    await Promise.all(
      children.map((child) => new Promise((resolve) => child.stdout.once("data", resolve))),
    );
    expect(find().engines.filter((pid) => !before.includes(pid))).toEqual([children[0]?.pid]);
    expect(find().descriptors).toBeGreaterThan(0);
  });
});
