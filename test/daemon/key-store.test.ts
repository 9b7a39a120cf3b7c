import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run, start, temporaryFolder } from "./daemon.js";

const headersOf = (key: string) => ({
  authorization: `Bearer ${key}`,
  "content-type": "application/json",
});

/** Creates the first key of a store. @returns path of its file, and the key */
async function createStore() {
  const path = join(temporaryFolder(), "keys.jsonl");
  const { stdout } = await run(["keys", "create", "admin", "--key-store", path]);
  return { path, admin: stdout.trim(), flags: ["--no-model", "--key-store", path] };
}

/** A test starts up to six processes, each in about a second on a quiet machine. */
const LIMIT = { timeout: 120_000 };

describe("the key store of a daemon", LIMIT, () => {
  it("is required to have a key that may manage keys", async () => {
    const path = join(temporaryFolder(), "keys.jsonl");
    const { code, stderr } = await run(["serve", "--no-model", "--key-store", path]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `ggufd: --key-store ${path}: expected a key with the scope admin and full access, got none. Create one: ggufd keys create admin --key-store ${path}\n`,
    );
  });

  it("is managed by ggufd keys, and used by one daemon at a time", async () => {
    const { path, admin, flags } = await createStore();
    const { url } = await start(flags);
    expect((await fetch(`${url}/v1/models`)).status).toBe(401);
    const at = ["--url", url, "--api-key", admin];
    const made = await run(["keys", "create", "alice", "--scopes", "todos", ...at]);
    expect(made).toMatchObject({ code: 0, stderr: "Created alice. The key is not shown again.\n" });
    const headers = headersOf(made.stdout.trim());
    expect((await fetch(`${url}/v1/todos`, { headers })).status).toBe(200);
    expect((await fetch(`${url}/v1/keys`, { headers })).status).toBe(403);
    expect((await run(["keys", "disable", "alice", ...at])).stdout).toBe("alice: disabled\n");
    expect((await fetch(`${url}/v1/todos`, { headers })).status).toBe(401);
    const second = await run(["serve", ...flags, "--port", "0"]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain("only one process at a time can use it");
    expect(readFileSync(path, "utf8")).not.toContain(made.stdout.trim());
  });

  it("has every acknowledged change, with its log, after kill -9 at any moment", async () => {
    const { admin, flags } = await createStore();
    const acknowledged = new Map<string, string>();
    for (let round = 0; round < 2; round++) {
      const { url, process, exited } = await start(flags);
      const headers = headersOf(admin);
      const creations = Array.from({ length: 40 }, async (_, index) => {
        const name = `key-${round}-${index}`;
        const body = JSON.stringify({ name });
        const response = await fetch(`${url}/v1/keys`, { method: "POST", headers, body });
        acknowledged.set(name, ((await response.json()) as { value: string }).value);
        if (acknowledged.size === 10 * (round + 1)) process.kill("SIGKILL");
      });
      await Promise.allSettled(creations);
      process.kill("SIGKILL");
      await exited;
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(10);
    const { url } = await start(flags);
    for (const value of acknowledged.values()) {
      const { status } = await fetch(`${url}/v1/models`, { headers: headersOf(value) });
      expect(status).toBe(200);
    }
    const { stdout } = await run(["keys", "audit", "--json", "--url", url, "--api-key", admin]);
    const { entries } = JSON.parse(stdout) as { entries: { id: string; key: string }[] };
    const logged = entries.map(({ key }) => key);
    for (const name of acknowledged.keys()) expect(logged).toContain(name);
    expect(entries.map(({ id }) => Number(id))).toEqual(
      Array.from(entries, (_, index) => entries.length - index),
    );
  });
});
