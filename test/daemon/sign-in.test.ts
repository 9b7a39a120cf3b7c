import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.js";
import { CLIENT_ID, StandInProvider } from "../support/identity-provider.js";
import { run, start, temporaryFolder } from "./daemon.js";

function rulesFile(...lines: readonly string[]) {
  const path = join(temporaryFolder(), "rules");
  const write = (...next: readonly string[]) => writeFileSync(path, `${next.join("\n")}\n`);
  write(...lines);
  return { path, write };
}

async function listenProvider(): Promise<StandInProvider> {
  const { provider, close } = await StandInProvider.listen();
  onTestFinished(close);
  return provider;
}

const statusOf = async (url: string, headers: Readonly<Record<string, string>>) =>
  (await fetch(`${url}/v1/key`, { headers })).status;

describe("a daemon with an identity provider", () => {
  it("accepts its tokens, and applies new rules on SIGHUP", async () => {
    const provider = await listenProvider();
    const { path, write } = rulesFile("groups=staff scopes=todos");
    const { url, process } = await start([
      ...["--no-model", "--access-rules", path],
      ...["--oidc-issuer", provider.issuer, "--oidc-client-id", CLIENT_ID],
    ]);
    const token = { authorization: `Bearer ${await provider.sign()}` };
    expect(await statusOf(url, token)).toBe(200);
    expect(await statusOf(url, {})).toBe(401);
    expect((await fetch(`${url}/v1/todos`, { headers: token })).status).toBe(200);
    expect((await fetch(`${url}/metrics`, { headers: token })).status).toBe(403);
    const login = await fetch(`${url}/v1/login`);
    expect(await login.json()).toMatchObject({ provider: new URL(provider.issuer).host });
    write("sub=alice deny", "groups=staff scopes=todos");
    process.kill("SIGHUP");
    await eventually(async () => expect(await statusOf(url, token)).toBe(403));
    write("groups=staff");
    process.kill("SIGHUP");
    await fetch(`${url}/health/live`);
    expect(await statusOf(url, token)).toBe(403);
  });

  it("starts while the provider is down, and serves keys", async () => {
    const provider = await listenProvider();
    provider.misbehaviour = "down";
    const { url } = await start([
      ...["--no-model", "--access-rules", rulesFile("* scopes=todos").path],
      ...["--oidc-issuer", provider.issuer, "--oidc-audience", "llm", "--api-key", "a-key"],
    ]);
    expect(await statusOf(url, { "x-api-key": "a-key" })).toBe(200);
    expect(await statusOf(url, { "x-api-key": await provider.sign() })).toBe(503);
  });
});

describe("a daemon behind an authenticating proxy", () => {
  it("accepts users that the proxy names", async () => {
    const { url } = await start([
      ...["--no-model", "--access-rules", rulesFile("groups=staff scopes=todos").path],
      ...["--trusted-header", "X-User", "--trusted-groups-header", "X-Groups"],
      ...["--cors-origin", "none"],
    ]);
    expect(await statusOf(url, { "x-user": "alice", "x-groups": "staff" })).toBe(200);
    expect(await statusOf(url, { "x-user": "alice" })).toBe(403);
    expect(await statusOf(url, {})).toBe(401);
  });

  it.each(["0.0.0.0", "192.0.2.1", "::"])("does not start on %s", async (host) => {
    const { code, stderr } = await run([
      ...["--no-model", "--access-rules", rulesFile("* scopes=todos").path, "--host", host],
      ...["--trusted-header", "X-User", "--cors-origin", "none"],
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^ggufd: --trusted-header: requires a --host that only this machine/);
  });
});

describe("a daemon with --log-content", () => {
  it("names the file on its start screen, and excludes other daemons from it", async () => {
    const path = join(temporaryFolder(), "content.jsonl");
    const flags = ["--no-model", "--log-content", path];
    const { url, output, process, exited } = await start(flags);
    expect(output.stdout).toContain(`prompts and answers, in ${path} (--log-content)`);
    const second = await run(flags);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/^ggufd: --log-content .*: cannot be opened: in use by process/);
    await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: "Hi" }] }),
    });
    process.kill("SIGTERM");
    expect((await exited).code).toBe(0);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
      route: "/v1/chat/completions",
      request: { messages: [{ role: "user", content: "Hi" }] },
      answers: [],
    });
  });
});
