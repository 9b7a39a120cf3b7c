import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { platform } from "node:os";
import type { Readable, Writable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.js";
import { outputOf } from "../support/output-of.js";
import { tinyModel } from "../support/random-models.js";
import { childrenOf } from "./child-processes.js";
import { entry, run, SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";

const ON_CPU = { GGUFD_GPU: "off", GGUFD_THREADS: "1" };

/** Runs `ggufd run` with a pipe, in a folder that it must leave empty. */
function runWith(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const folder = temporaryFolder();
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(
    process.execPath,
    [entry, "run", ...args],
    {
      cwd: folder,
      // No daemon listens at the default address.
      env: {
        PATH: process.env.PATH,
        TMPDIR: folder,
        XDG_CACHE_HOME: temporaryFolder(),
        GGUFD_PORT: "1",
        ...ON_CPU,
        ...env,
      },
      stdio: ["pipe", "pipe", "pipe"],
    },
  );
  const output = outputOf(child);
  const ended = once(child, "close").then(([code]) => ({ code, ...output }));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, ended, folder };
}

describe("ggufd run", { timeout: SEVERAL_STARTS }, () => {
  it("answers piped input with a temporary daemon that exits afterwards", async () => {
    const { child, ended, folder } = runWith(["--json", "--max-tokens", "8", "--temperature", "0"]);
    child.stdin.end("Hello! Who are you?\n");
    const { code, stdout, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ model: "ggufd-mini", text: expect.stringMatching(/\w/), reasoning: "" },
      usage: { completion_tokens: expect.any(Number) },
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("reports a model that cannot be loaded with a one-line error", async () => {
    const { ended, child } = runWith(["/nowhere.gguf", "Hi"]);
    child.stdin.end();
    expect(await ended).toEqual({
      ...{ code: 1, stdout: "" },
      stderr: "ggufd: model /nowhere.gguf: no such file\n",
    });
  });

  it("stops its daemon when it is terminated", async () => {
    const { child, ended, folder } = runWith([tinyModel(), "Hi"]);
    child.stdin.end();
    await eventually(() => expect(readdirSync(folder)).toHaveLength(1));
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 143 });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("uses a running daemon, and ps lists the model", async () => {
    const daemon = await start(
      ["--model", tinyModel(), "--alias", "tiny", "--api-key", "hush"],
      ON_CPU,
    );
    const env = { GGUFD_PORT: new URL(daemon.url).port, GGUFD_API_KEY: "hush" };
    const children = platform() === "linux" ? childrenOf(daemon).length : 0;
    const { child, ended } = runWith(["tiny", "--max-tokens", "4", "Hi"], env);
    child.stdin.end();
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
    if (platform() === "linux") {
      await eventually(() => expect(childrenOf(daemon)).toHaveLength(children));
    }
    const { code, stdout } = await run(["ps"], env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^tiny +loaded +/m);
    expect(await run(["ps"], { ...env, GGUFD_API_KEY: "wrong" })).toEqual({
      ...{ code: 1, stdout: "" },
      stderr: `ggufd: ${daemon.url} rejected this API key\n`,
    });
  });
});
