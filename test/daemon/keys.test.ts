import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { run, start, temporaryFolder } from "./daemon.js";

const withKey = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

describe("ggufd key", () => {
  it("prints a key that the daemon accepts, and its key file line", async () => {
    const made = await run(["key", "--name", "alice", "--scopes", "todos"]);
    expect(made.code).toBe(0);
    expect(made.stdout).toMatch(/^sha256:[\da-f]{64} name=alice scopes=todos\n$/);
    const key = made.stderr.trim().split(" ").at(-1) ?? "";
    expect(made.stdout).not.toContain(key);
    const path = join(temporaryFolder(), "keys");
    writeFileSync(path, made.stdout);
    const { url } = await start(["--no-model", "--api-key-file", path]);
    expect((await fetch(`${url}/v1/todos`, withKey(key))).status).toBe(200);
    expect((await fetch(`${url}/metrics`, withKey(key))).status).toBe(403);
    expect((await fetch(`${url}/v1/todos`)).status).toBe(401);
  });

  it.each([
    [["--hash"], "ggufd: --hash: expected one key without spaces on standard input, got nothing\n"],
    [["--weight", "0"], 'ggufd: --weight: expected a number from 0.01 to 100, got "0"\n'],
  ])("rejects %j with a one-line error", async (flags, line) => {
    expect(await run(["key", ...flags])).toEqual({ code: 1, stdout: "", stderr: line });
  });
});

describe("SIGHUP", () => {
  it("reloads the key file: keys are added and removed, and the others keep their rate limits", async () => {
    const path = join(temporaryFolder(), "keys");
    writeFileSync(path, "leaving\nstaying name=alice requests-per-minute=100\n");
    const { url, process } = await start(["--no-model", "--api-key-file", path]);
    const get = (key: string) => fetch(`${url}/v1/todos`, withKey(key));
    expect((await get("leaving")).status).toBe(200);
    for (let count = 0; count < 60; count++) await get("staying");
    writeFileSync(path, "coming\nstaying name=alice requests-per-minute=100\n");
    process.kill("SIGHUP");
    await eventually(async () => expect((await get("coming")).status).toBe(200));
    expect((await get("leaving")).status).toBe(401);
    const remaining = (await get("staying")).headers.get("x-ratelimit-remaining-requests");
    expect(Number(remaining)).toBeLessThan(99);
  });

  it("keeps the current keys if the file is invalid, and logs the error without a key", async () => {
    const path = join(temporaryFolder(), "keys");
    writeFileSync(path, "hush name=alice\n");
    const { url, process, exited } = await start(["--no-model", "--api-key-file", path]);
    writeFileSync(path, "hush2 name=alice\nhush3 weight=heavy\n");
    process.kill("SIGHUP");
    await fetch(`${url}/health/live`);
    expect((await fetch(`${url}/v1/todos`, withKey("hush"))).status).toBe(200);
    expect((await fetch(`${url}/v1/todos`, withKey("hush2"))).status).toBe(401);
    process.kill("SIGTERM");
    const { code, stderr } = await exited;
    expect(code).toBe(0);
    expect(JSON.parse(stderr)).toMatchObject({
      level: 50,
      reason: `--api-key-file ${path}: line 2: weight: expected a number from 0.01 to 100, got "heavy"`,
      msg: "the key file is invalid; the previous keys remain in use",
    });
    expect(stderr).not.toContain("hush");
  });
});
