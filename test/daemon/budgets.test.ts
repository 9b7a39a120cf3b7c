import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { tinyModel } from "../support/random-models.js";
import { attempt, type Daemon, SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";

const model = ["--gpu", "off", "--threads", "1", "--model", tinyModel(), "--alias", "tiny"];
const headers = { "x-api-key": "k", "content-type": "application/json" };

interface Answer {
  readonly usage: { readonly total_tokens: number };
}

async function chat({ url }: Pick<Daemon, "url">) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers,
    body: JSON.stringify({
      messages: [{ role: "user", content: "Hi" }],
      max_tokens: 3,
      ignore_eos: true,
    }),
  });
  return { status: response.status, body: (await response.json()) as Answer };
}

async function budgetsOf({ url }: Pick<Daemon, "url">): Promise<unknown> {
  const response = await fetch(`${url}/v1/key`, { headers });
  return ((await response.json()) as { readonly budgets: unknown }).budgets;
}

describe("a budget", { timeout: SEVERAL_STARTS }, () => {
  it("is counted across restarts, and can be raised while the daemon runs", async () => {
    const folder = temporaryFolder();
    const keys = join(folder, "keys");
    writeFileSync(
      keys,
      "k name=alice requests-per-day=2 group=team\ngroup:team tokens-per-day=1000\n",
    );
    const flags = [...model, "--api-key-file", keys, "--usage", join(folder, "usage")];
    const first = await start(flags);
    const { body } = await chat(first);
    const used = body.usage.total_tokens;
    first.process.kill("SIGTERM");
    expect((await first.exited).code).toBe(0);

    const second = await start(flags);
    expect(await budgetsOf(second)).toMatchObject([
      { owner: "key", unit: "requests", used: 1 },
      { owner: "group", unit: "tokens", used },
    ]);
    expect((await chat(second)).status).toBe(200);
    expect(await chat(second)).toMatchObject({
      status: 429,
      body: { error: { code: "insufficient_quota" } },
    });
    writeFileSync(keys, "k name=alice requests-per-day=3 group=team\ngroup:team\n");
    second.process.kill("SIGHUP");
    await eventually(async () => expect(await budgetsOf(second)).toMatchObject([{ limit: 3 }]));
    expect((await chat(second)).status).toBe(200);
    expect((await chat(second)).status).toBe(429);
  });

  it("needs stored usage", async () => {
    const keys = join(temporaryFolder(), "keys");
    writeFileSync(keys, "a\nb tokens-per-day=1000\n");
    expect(await attempt(["--no-model", "--api-key-file", keys, "--usage", "none"])).toEqual({
      code: 1,
      stdout: "",
      stderr: `ggufd: --api-key-file ${keys}: line 2: a budget needs stored usage, and there is none: --usage is none; set --usage to a folder\n`,
    });
  });
});
