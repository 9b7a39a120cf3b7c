import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { tinyModel } from "../support/random-models.js";
import { run, temporaryFolder } from "./daemon.js";

const { version } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { version: string };

/** Expects the program to exit with code 1 and a one-line error message. */
async function expectRejection(args: readonly string[], line: RegExp, env: NodeJS.ProcessEnv = {}) {
  const { code, stderr, stdout } = await run(args, env);
  expect(stderr).toMatch(line);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(stdout).toBe("");
  expect(code).toBe(1);
}

describe("the command line", () => {
  it("prints help and version without a model", async () => {
    const env = { GGUFD_MODEL: "/nowhere.gguf" };
    expect(await run(["--version"], env)).toMatchObject({ code: 0, stdout: `${version}\n` });
    expect((await run(["--help"], env)).stdout).toContain("Usage: ggufd");
    const { code, stdout } = await run(["serve", "--help"], env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Most used:\n +--model <PATH> /m);
    for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  it.each([
    [["--nonsense"], /^ggufd: unknown option '--nonsense'/],
    [
      ["bake"],
      /^ggufd: "bake": expected a command \(ggufd --help\) or the path of a GGUF file; for/,
    ],
    [["pul", "hf:x/y"], /^ggufd: "pul": .*; did you mean ggufd pull\?$/m],
    [["a.gguf", "--model", "b.gguf"], /^ggufd: "a.gguf": the model is given twice/],
    [["/nowhere.gguf"], /^ggufd: model \/nowhere.gguf: no such file$/m],
    [["--port"], /^ggufd: option '--port <N>' argument missing/],
    [["--port", "http"], /^ggufd: --port: expected an integer from 0 to 65535, got "http"$/m],
    [["--config", "/nowhere.json"], /^ggufd: --config \/nowhere.json: cannot be read/],
    [["--api-key-file", "/nowhere"], /^ggufd: --api-key-file \/nowhere: cannot be read/],
    [["--model", "/nowhere.gguf"], /^ggufd: model \/nowhere.gguf: no such file$/m],
    [["--draft", "/nowhere.gguf"], /^ggufd: draft \/nowhere.gguf: no such file$/m],
    [
      ["--parallel", "256", "--context-size", "10000000"],
      /^ggufd: model .*: 256 slots × 10000000 tokens in f16 do not fit: .* is free; it would fit with --context-size \d+$/m,
    ],
    [["--model", "/tmp"], /^ggufd: model \/tmp: expected a file, got a folder$/m],
  ])("rejects %j with a one-line message", async (args, line) => {
    await expectRejection(args, line);
  });

  it("names an invalid environment variable", async () => {
    await expectRejection([], /^ggufd: GGUFD_PORT: expected an integer/, { GGUFD_PORT: "x" });
  });

  it.each([
    ["empty", () => Buffer.alloc(0), "it is empty"],
    ["of another format", () => Buffer.from("hello"), 'the beginning: expected "GGUF", got "hell"'],
    [
      "cut off within its header",
      () => readFileSync(tinyModel()).subarray(0, 2000),
      "up to the end of the file: it is incomplete, or its header is damaged",
    ],
    [
      "cut off within its data",
      () => readFileSync(tinyModel()).subarray(0, 100_000),
      "got \\d+ \\(.* elements\\): it is incomplete, or its header is damaged",
    ],
    [
      "cut off near its end",
      () => readFileSync(tinyModel()).subarray(0, 200_000),
      "got 200000: it is incomplete, or its header is damaged",
    ],
  ])("rejects a model file that is %s", async (_, bytes, reason) => {
    const path = join(temporaryFolder(), "model.gguf");
    writeFileSync(path, bytes());
    const line = new RegExp(`^ggufd: model ${path}: not a valid GGUF file: .*${reason}$`, "m");
    await expectRejection(["--gpu", "off", "--model", path], line);
  });

  it("rejects a port that is in use", async () => {
    const blocker = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void blocker.close());
    await once(blocker, "listening");
    const address = blocker.address();
    const port = typeof address === "object" ? String(address?.port) : "";
    await expectRejection(
      ["--no-model", "--port", port],
      /--port \d+: already in use on 127.0.0.1/,
    );
  });

  it("rejects a to-do file that cannot be parsed, without modifying it", async () => {
    const path = join(temporaryFolder(), "todos.json");
    writeFileSync(path, '{"items": [');
    await expectRejection(["--no-model", "--port", "0", "--todos", path], /todos\.json/);
    expect(readFileSync(path, "utf8")).toBe('{"items": [');
  });

  it("prints the effective settings with their sources, but no keys", async () => {
    const path = join(temporaryFolder(), "ggufd.json");
    writeFileSync(path, JSON.stringify({ port: 1, parallel: 2, host: "::1" }));
    const { stdout, code } = await run(
      ["config", "--config", path, "--port", "3", "--api-key", "hush", "--no-model"],
      { GGUFD_PORT: "2", GGUFD_PARALLEL: "5" },
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^port +3 +--port$/m);
    expect(stdout).toMatch(/^parallel +5 +GGUFD_PARALLEL$/m);
    expect(stdout).toMatch(/^host +::1 +.*ggufd\.json$/m);
    expect(stdout).toMatch(/^seed +– +default$/m);
    expect(stdout).toMatch(/^noModel +true +--no-model$/m);
    expect(stdout).not.toContain("hush");
  });
});
