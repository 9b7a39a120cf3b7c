import { copyFileSync, renameSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { tinyModel } from "../support/random-models.js";
import { childOf, childrenOf } from "./child-processes.js";
import { type Daemon, start, temporaryFolder } from "./daemon.js";

const serving = (model: string) =>
  ["--gpu", "off", "--threads", "1", "--model", model, "--alias", "tiny"] as const;

/** A model file that can be removed, so that the engine cannot be restarted. */
function removableModel() {
  const path = join(temporaryFolder(), "tiny.gguf");
  const away = `${path}.away`;
  copyFileSync(tinyModel(), path);
  return {
    path,
    remove: () => renameSync(path, away),
    putBack: () => renameSync(away, path),
  };
}

const chat = (url: string, body: object) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "Hi" }], ...body }),
  });

function engineOf(daemon: Daemon): number {
  const engine = childOf(daemon, /ggufd engine|\/main\.js/);
  if (engine === undefined) throw new Error("the daemon has no engine process");
  return engine;
}

const preparerOf = (daemon: Daemon) => childOf(daemon, /ggufd prompts/);

const health = async (url: string) => {
  const response = await fetch(`${url}/health`);
  return { status: response.status, body: await response.json() };
};

describe.runIf(platform() === "linux")("when the engine process is killed", () => {
  it("ends every stream with one error, keeps serving the to-dos, and recovers", async () => {
    const capacity = ["--context-size", "50000", "--parallel", "5"];
    const model = removableModel();
    const daemon = await start([...serving(model.path), ...capacity]);
    const { url } = daemon;
    const forever = { stream: true, ignore_eos: true };
    const running = await Promise.all(Array.from({ length: 5 }, () => chat(url, forever)));
    const waiting = [chat(url, forever), chat(url, { ignore_eos: true })];
    const killed = engineOf(daemon);
    model.remove();
    process.kill(killed, "SIGKILL");

    for (const stream of running) {
      const text = await stream.text();
      expect(text.match(/"error":/g) ?? []).toHaveLength(1);
      expect(text).toContain('"code":"model_unavailable"');
    }
    for (const rejected of await Promise.all(waiting)) {
      expect(rejected.status).toBe(503);
      expect(rejected.headers.get("retry-after")).toBe("2");
    }

    expect(await health(url)).toEqual({ status: 503, body: { status: "restarting model" } });
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect((await chat(url, {})).status).toBe(503);
    expect((await fetch(`${url}/api/todos`)).status).toBe(200);

    model.putBack();
    await vi.waitFor(async () => expect((await health(url)).status).toBe(200), 30_000);
    expect(engineOf(daemon)).not.toBe(killed);
    const answer = await chat(url, { max_tokens: 3, ignore_eos: true });
    expect(await answer.json()).toMatchObject({ usage: { completion_tokens: 3 } });
    daemon.process.kill("SIGTERM");
    const { code, stderr } = await daemon.exited;
    expect(code).toBe(0);
    expect(stderr).toContain("the engine's process has ended (SIGKILL)");
  });

  it("stops immediately on SIGTERM while no engine is running", async () => {
    const model = removableModel();
    const daemon = await start(serving(model.path));
    model.remove();
    process.kill(engineOf(daemon), "SIGKILL");
    await vi.waitFor(async () => expect((await health(daemon.url)).status).toBe(503));
    daemon.process.kill("SIGTERM");
    expect((await daemon.exited).code).toBe(0);
  });
});

describe.runIf(platform() === "linux")("the engine process", () => {
  it("exits with the daemon, however that exits", async () => {
    const daemon = await start(serving(tinyModel()));
    const engine = engineOf(daemon);
    daemon.process.kill("SIGKILL");
    await daemon.exited;
    await vi.waitFor(() => expect(() => process.kill(engine, 0)).toThrow(/ESRCH/), 10_000);
  });

  it("has a process beside it that prepares large prompts, and does so itself while that is lost", async () => {
    const daemon = await start([...serving(tinyModel()), "--context-size", "2048"]);
    const content = "all work and no play ".repeat(500);
    const large = () => chat(daemon.url, { messages: [{ role: "user", content }] });
    const refused = { status: 400, code: "context_length_exceeded" };
    const outcome = async () => {
      const response = await large();
      const { error } = (await response.json()) as { error: { code: string } };
      return { status: response.status, code: error.code };
    };
    const preparer = await vi.waitFor(() => {
      const pid = preparerOf(daemon);
      if (pid === undefined) throw new Error("it has not started yet");
      return pid;
    }, 10_000);
    expect(await outcome()).toEqual(refused);
    process.kill(preparer, "SIGKILL");
    await vi.waitFor(async () => expect(await outcome()).toEqual(refused), 10_000);
    await vi.waitFor(() => {
      expect(preparerOf(daemon)).toBeDefined();
      expect(preparerOf(daemon)).not.toBe(preparer);
    }, 10_000);
    expect(await outcome()).toEqual(refused);
    daemon.process.kill("SIGTERM");
    const { code, stderr } = await daemon.exited;
    expect(code).toBe(0);
    expect(stderr).toContain("the process that prepares large prompts has ended (SIGKILL)");
  });

  it("is not started with --engine inline", async () => {
    const daemon = await start([...serving(tinyModel()), "--engine", "inline"]);
    expect(childrenOf(daemon)).toEqual([]);
    const answer = await chat(daemon.url, { max_tokens: 3, ignore_eos: true });
    expect(await answer.json()).toMatchObject({ usage: { completion_tokens: 3 } });
  });
});
