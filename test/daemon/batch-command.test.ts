import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.js";
import { outputOf } from "../support/output-of.js";
import { tinyModel } from "../support/random-models.js";
import { entry, run, SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";

const ON_CPU = { GGUFD_GPU: "off", GGUFD_THREADS: "1" };

/** A line of chat completions whose answer has a number of tokens. */
function chatLine(id: number, tokens: number): string {
  const body = {
    messages: [{ role: "user", content: `Say ${id}.` }],
    ...{ max_tokens: tokens, ignore_eos: true },
  };
  return JSON.stringify({
    ...{ custom_id: `r${id}`, method: "POST", url: "/v1/chat/completions", body },
  });
}

function writeLines(count: number, tokens: number): string {
  const path = join(temporaryFolder(), "in.jsonl");
  writeFileSync(path, Array.from({ length: count }, (_, id) => chatLine(id, tokens)).join("\n"));
  return path;
}

/** Runs `ggufd batch` with a temporary folder that it must leave empty. */
function runBatch(args: readonly string[], env: NodeJS.ProcessEnv) {
  const temporary = temporaryFolder();
  const child = spawn(process.execPath, [entry, "batch", ...args], {
    cwd: temporaryFolder(),
    env: {
      ...{ PATH: process.env.PATH, TMPDIR: temporary, XDG_CACHE_HOME: temporaryFolder() },
      // No daemon listens at the default address.
      GGUFD_PORT: "1",
      ...ON_CPU,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = outputOf(child);
  const ended = once(child, "close").then(([code]) => ({ code, ...output }));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, output, ended, temporary };
}

function idsIn(path: string): string[] {
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line).custom_id);
}

describe("ggufd batch", { timeout: SEVERAL_STARTS }, () => {
  it("serves a model file for the requests, and exits", async () => {
    const file = writeLines(3, 4);
    const env = { XDG_DATA_HOME: temporaryFolder() };
    const { ended, temporary } = runBatch([file, "--model", tinyModel()], env);
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(
      /^in\.jsonl: 3 of 3 requests done, 0 failed; results in \S+\.out\.jsonl$/m,
    );
    expect(idsIn(file.replace(".jsonl", ".out.jsonl")).toSorted()).toEqual(["r0", "r1", "r2"]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("continues after an interruption in a running daemon, once for each line", async () => {
    const file = writeLines(24, 200);
    const model = tinyModel();
    const env = { XDG_DATA_HOME: temporaryFolder() };
    const output = file.replace(".jsonl", ".out.jsonl");
    const first = runBatch([file], { ...env, GGUFD_MODEL: model });
    await eventually(() => expect(first.output.stderr).toContain("in.jsonl: "));
    first.child.kill("SIGINT");
    const interrupted = await first.ended;
    expect(interrupted.code, interrupted.stderr).toBe(130);
    expect(interrupted.stderr).toContain("interrupted; run the same command to continue the batch");
    expect(existsSync(output)).toBe(false);
    expect(readdirSync(first.temporary)).toEqual([]);

    const daemon = await start(["--model", model], { ...ON_CPU, ...env });
    const at = { GGUFD_PORT: new URL(daemon.url).port };
    const { code, stderr } = await runBatch([file], { ...env, ...at }).ended;
    expect(code, stderr).toBe(0);
    // The daemon continues the batch from its start on, and may have ended it already.
    expect(stderr).toMatch(/^in\.jsonl: batch_\w+ (?:continues$|has run already )/m);
    const ids = idsIn(output);
    expect(ids).toHaveLength(24);
    expect(new Set(ids).size).toBe(24);
    const listed = await run(["batch", "list", "--json"], at);
    expect(JSON.parse(listed.stdout).batches).toMatchObject([{ status: "completed" }]);
  });

  it("reports wrong input with its line, without starting a daemon", async () => {
    const file = join(temporaryFolder(), "in.jsonl");
    writeFileSync(file, `${chatLine(1, 1)}\n{"custom_id": 7}\n`);
    const { ended } = runBatch([file], { XDG_DATA_HOME: temporaryFolder() });
    expect(await ended).toEqual({
      ...{ code: 2, stdout: "" },
      stderr: "ggufd: in.jsonl:2: custom_id: expected a string of 1 to 512 characters, got 7.\n",
    });
  });
});
