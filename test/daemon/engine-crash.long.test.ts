import { spawnSync } from "node:child_process";
import { copyFileSync, renameSync, truncateSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { tinyModel } from "../support/random-models.js";
import { childOf, childrenOf, threadPrioritiesOf } from "./child-processes.js";
import { type Daemon, SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";
import {
  beginStream,
  chat,
  engineOf,
  readinessOf,
  requestsInFlight,
  serving,
} from "./engine-of.js";

/** A model file that can be damaged so that the engine cannot restart. */
function fragileModel() {
  const path = join(temporaryFolder(), "tiny.gguf");
  const away = `${path}.away`;
  copyFileSync(tinyModel(), path);
  return {
    path,
    remove: () => renameSync(path, away),
    /** Truncates the file, as a repeated download would. */
    truncate() {
      copyFileSync(path, away);
      truncateSync(path, 20_000);
    },
    putBack: () => renameSync(away, path),
  };
}

const preparerOf = (daemon: Daemon) => childOf(daemon, /ggufd prompts/);

const becomesReady = (url: string) =>
  eventually(async () => expect((await readinessOf(url)).status).toBe(200));

const capacity = ["--context-size", "50000", "--parallel", "1"];
const answer = { max_tokens: 3, ignore_eos: true };

describe.runIf(platform() === "linux")("after an engine crash", { timeout: SEVERAL_STARTS }, () => {
  it("streams get one error, to-dos are served, queued requests are answered, and the engine restarts", async () => {
    const model = fragileModel();
    const daemon = await start([...serving(model.path), ...capacity]);
    const { url, output } = daemon;
    const { text } = await beginStream(url);
    const waiting = chat(url, answer);
    await requestsInFlight(url, { running: 1, waiting: 1 });
    const killed = engineOf(daemon);
    model.truncate();
    // The engine may already have crashed from reading the file; the signal then fails.
    spawnSync("kill", ["-BUS", String(killed)]);

    expect((await text).match(/"error":/g)).toHaveLength(1);
    expect(await text).toContain('"code":"model_unavailable"');
    expect(await readinessOf(url)).toEqual({ status: 503, body: { status: "restarting model" } });
    await eventually(() => expect(output.stderr).toContain("cannot be restarted: model "));
    expect((await readinessOf(url)).status).toBe(503);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect((await chat(url, {})).status).toBe(503);
    expect((await fetch(`${url}/api/todos`)).status).toBe(200);

    model.putBack();
    expect(await (await waiting).json()).toMatchObject({ usage: { completion_tokens: 3 } });
    await becomesReady(url);
    expect(engineOf(daemon)).not.toBe(killed);
    expect(output.stderr).toContain("exited (SIGBUS, possibly the model file was changed");
  });

  it("the engine restarts, whatever the signal and however often", async () => {
    const daemon = await start([...serving(tinyModel()), ...capacity]);
    const { url, output } = daemon;
    for (const signal of ["SIGSEGV", "SIGABRT", "SIGKILL"] as const) {
      const { text } = await beginStream(url);
      const crashed = engineOf(daemon);
      process.kill(crashed, signal);
      expect((await text).match(/"error":/g)).toHaveLength(1);
      expect((await fetch(`${url}/api/todos`)).status).toBe(200);
      await becomesReady(url);
      expect(engineOf(daemon)).not.toBe(crashed);
      expect(output.stderr).toContain(`the engine process exited (${signal}`);
    }
    expect((await chat(url, answer)).status).toBe(200);
    daemon.process.kill("SIGTERM");
    expect((await daemon.exited).code).toBe(0);
  });

  it("the daemon stops immediately on SIGTERM if the engine cannot restart", async () => {
    const model = fragileModel();
    const daemon = await start(serving(model.path));
    model.remove();
    process.kill(engineOf(daemon), "SIGKILL");
    await eventually(async () => expect((await readinessOf(daemon.url)).status).toBe(503));
    daemon.process.kill("SIGTERM");
    expect((await daemon.exited).code).toBe(0);
  });
});

describe.runIf(platform() === "linux")("the engine process", { timeout: SEVERAL_STARTS }, () => {
  it("exits when the daemon is killed", async () => {
    const daemon = await start(serving(tinyModel()));
    const engine = engineOf(daemon);
    daemon.process.kill("SIGKILL");
    await daemon.exited;
    await eventually(() => expect(() => process.kill(engine, 0)).toThrow(/ESRCH/));
  });

  it("prepares large prompts in a separate process, or itself while that process restarts", async () => {
    const daemon = await start([...serving(tinyModel()), "--context-size", "2048"]);
    const content = "all work and no play ".repeat(500);
    const large = () => chat(daemon.url, { messages: [{ role: "user", content }] });
    const refused = { status: 400, code: "context_length_exceeded" };
    const outcome = async () => {
      const response = await large();
      const { error } = (await response.json()) as { error: { code: string } };
      return { status: response.status, code: error.code };
    };
    const preparer = await eventually(() => {
      const pid = preparerOf(daemon);
      if (pid === undefined) throw new Error("it has not started yet");
      return pid;
    });
    expect(await outcome()).toEqual(refused);
    process.kill(preparer, "SIGKILL");
    await eventually(async () => expect(await outcome()).toEqual(refused));
    await eventually(() => {
      expect(preparerOf(daemon)).toBeDefined();
      expect(preparerOf(daemon)).not.toBe(preparer);
    });
    expect(await outcome()).toEqual(refused);
    daemon.process.kill("SIGTERM");
    const { code, stderr } = await daemon.exited;
    expect(code).toBe(0);
    expect(stderr).toContain(
      "the prompt preparation process exited (SIGKILL, possibly out of memory",
    );
  });

  it("runs compute threads at a higher priority than V8's compiler threads", async () => {
    const daemon = await start(serving(tinyModel()));
    await (await chat(daemon.url, answer)).json();
    const priorities = threadPrioritiesOf(engineOf(daemon));
    expect(priorities["ggufd step"]).toEqual([0]);
    expect(priorities["ggufd engine"]).toContain(0);
    // V8's threads are named after the program.
    expect(priorities.node).toContain(10);
  });

  it("is not started with --engine inline", async () => {
    const daemon = await start([...serving(tinyModel()), "--engine", "inline"]);
    expect(childrenOf(daemon)).toEqual([]);
    const answer = await chat(daemon.url, { max_tokens: 3, ignore_eos: true });
    expect(await answer.json()).toMatchObject({ usage: { completion_tokens: 3 } });
  });
});
