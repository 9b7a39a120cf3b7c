import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { dialogues } from "../../../models/training/eval/dialogues.js";
import { groups } from "../../../models/training/eval/prompts.js";
import { outputOf } from "../../support/output-of.js";
import { runApp } from "../../support/running-app.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { ALIAS } from "../../support/test-app.js";
import { temporaryFolder } from "../temporary-folder.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = temporaryFolder();

function launch(script: string, args: readonly string[]) {
  const child = spawn(process.execPath, ["--import", "tsx", script, ...args], {
    cwd: root,
    // The evaluation must not inherit a daemon's environment.
    env: { PATH: process.env.PATH, TMPDIR: folder, GGUFD_API_KEY: "secret", GGUFD_PORT: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = outputOf(child);
  const exited = once(child, "close").then(([code]) => ({ code: code as number, ...output }));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return { child, exited };
}

describe("eval:model without a server", () => {
  it("starts a server, evaluates the model, shows progress, and stops the server", async () => {
    const json = join(folder, "result.json");
    const args = ["--per-skill", "1", "--json", json];
    const { code, stdout, stderr } = await launch("models/training/eval/main.ts", args).exited;
    expect(stderr).toContain(`asking ${groups.length}/${groups.length}\n`);
    expect(code).toBe(0);
    const names = stdout.split("\n").map((line) => line.split("|")[1]?.trim());
    expect(names).toEqual(expect.arrayContaining(groups.map(({ name }) => name)));
    const { rows, results } = JSON.parse(readFileSync(json, "utf8"));
    expect(results).toHaveLength(groups.length);
    expect(rows[0]).toMatchObject({ name: "ends its turn", total: groups.length });
  });

  it("stops the server when it is interrupted", async () => {
    const { child, exited } = launch("models/training/eval/main.ts", ["--per-skill", "20"]);
    await once(child.stderr, "data");
    child.kill("SIGINT");
    const { code, stdout, stderr } = await exited;
    expect(code).toBe(130);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^(asking \d+\/\d+\n)+$/);
  });

  it("reports in one line that the server does not have the model", async () => {
    const { code, stdout, stderr } = await launch("models/training/eval/main.ts", [
      "--model",
      "x",
      "--per-skill",
      "1",
    ]).exited;
    expect(stderr).toBe(
      'error: --model: expected a model that the server has (ggufd-mini), got "x"\n',
    );
    expect([code, stdout]).toEqual([2, ""]);
  });

  it("refuses an unwritable output file before sending a request", async () => {
    const json = join(folder, "missing", "result.json");
    const { code, stderr } = await launch("models/training/eval/main.ts", ["--json", json]).exited;
    expect(stderr).toMatch(/^error: --json: expected a file that can be written, got ENOENT.*\n$/);
    expect(code).toBe(2);
  });
});

describe("eval:conversations", () => {
  const script = "models/training/eval/conversations.ts";

  it("prints Markdown to standard output, with any server", async () => {
    const engine = new ScriptedEngine(() => ({ parts: ["So be it."] }), { contextSize: 10_000 });
    const server = await runApp(engine);
    onTestFinished(() => server.close());
    const args = ["--base-url", `${server.url}/v1`, "--model", ALIAS];
    const { code, stdout, stderr } = await launch(script, args).exited;
    expect(stderr).toMatch(/conversations 10\/10\n$/);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^# 10 conversations with scripted\n\n/);
    expect(stdout.match(/^## /gm)).toHaveLength(dialogues.length);
    const turns = dialogues.flatMap(({ says }) => says).length;
    expect(stdout.match(/^\*\*User:\*\* /gm)).toHaveLength(turns);
    expect(stdout.match(/^\*\*Model:\*\* So be it\.$/gm)).toHaveLength(turns);
  });

  it("reports an unknown flag in one line", async () => {
    const { code, stdout, stderr } = await launch(script, ["--clients", "2"]).exited;
    expect(stderr).toBe(
      "error: --clients: expected one of --base-url, --model, got an unknown flag\n",
    );
    expect([code, stdout]).toEqual([2, ""]);
  });
});
