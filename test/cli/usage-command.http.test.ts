import { describe, expect, it, onTestFinished } from "vitest";
import { runUsage } from "../../src/cli/usage-command.js";
import type { UsageArguments } from "../../src/cli/usage-options.js";
import { runApp } from "../support/running-app.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { someUsage } from "../support/some-usage.js";
import { storeUsageInMemory, UsageInMemory } from "../support/usage-in-memory.js";

const DAY_MS = 24 * 3_600_000;

/** A daemon with usage of two keys, of now and of 20 days ago. */
async function start() {
  const nowMs = Date.now();
  let usageMs = nowMs;
  const store = storeUsageInMemory(new UsageInMemory(), () => usageMs);
  store.add(someUsage({ promptTokens: 1000, cachedTokens: 400, completionTokens: 20 }));
  store.add(someUsage({ promptTokens: 1, audioSeconds: 12.6, engineMs: 2600 }));
  store.add(someUsage({ key: "bob", model: "other", images: 3, class: "batch" }));
  usageMs -= 20 * DAY_MS;
  store.add(someUsage({ key: "old" }));
  usageMs = nowMs;
  const engine = new ScriptedEngine(() => ({ parts: [] }));
  const { url, close } = await runApp(engine, { usage: store });
  onTestFinished(close);
  const run = (given: Partial<UsageArguments> = {}) =>
    runUsage(
      {
        daemon: { selection: "named", url, apiKey: undefined },
        since: { count: 7, unit: "1d" },
        by: ["key", "model"],
        per: undefined,
        output: "text",
        ...given,
      },
      nowMs,
    );
  return { run, today: new Date(nowMs).toISOString().slice(0, 10) };
}

/** The cells of a table's lines. */
const cells = (table: string) =>
  table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/));

describe("ggufd usage", () => {
  it("prints the sums of each group over the interval", async () => {
    const { run } = await start();
    expect(cells(await run())).toEqual([
      ["key", "model", "requests", "prompt", "cached", "generated", "images", "audio", "engine"],
      ["alice", "mini", "2", "1001", "400", "23", "0", "13 s", "3 s"],
      ["bob", "other", "1", "10", "0", "3", "3", "0 s", "0 s"],
    ]);
  });

  it("includes older usage on request, in pages of the daemon", async () => {
    const { run } = await start();
    const table = cells(await run({ since: { count: 600, unit: "1h" }, by: ["key"] }));
    expect(table.slice(1).map(([key, requests]) => [key, requests])).toEqual([
      ["old", "1"],
      ["alice", "2"],
      ["bob", "1"],
    ]);
  });

  it("prints a row for each bucket with usage", async () => {
    const { run, today } = await start();
    const table = cells(await run({ per: "1d", by: ["class"] }));
    expect(table.map((row) => row.slice(0, 3))).toEqual([
      ["start", "class", "requests"],
      [today, "batch", "1"],
      [today, "interactive", "2"],
    ]);
  });

  it("says that there was no usage", async () => {
    const { url, close } = await runApp(new ScriptedEngine(() => ({ parts: [] })), {
      usage: storeUsageInMemory(),
    });
    onTestFinished(close);
    const daemon = { selection: "named", url, apiKey: undefined } as const;
    const options = {
      daemon,
      since: { count: 2, unit: "1mo" },
      by: ["key"],
      per: undefined,
    } as const;
    expect(await runUsage({ ...options, output: "text" })).toBe(
      "There was no usage in this interval.\n",
    );
  });

  it("prints the daemon's buckets as JSON, and its CSV", async () => {
    const { run, today } = await start();
    const { data } = JSON.parse(await run({ output: "json" }));
    expect(data).toHaveLength(8);
    expect(data.at(-1).results).toMatchObject([{ api_key_id: "alice" }, { api_key_id: "bob" }]);
    const [heading, first] = (await run({ output: "csv" })).split("\r\n");
    expect(heading).toMatch(/^start_time,end_time,key,model,num_model_requests,/);
    expect(first).toMatch(
      new RegExp(`^${today}T00:00:00Z,\\S+,alice,mini,2,1001,400,23,0,12.6,2.6$`),
    );
  });

  it("reports that a daemon keeps no usage", async () => {
    const { url, close } = await runApp(new ScriptedEngine(() => ({ parts: [] })));
    onTestFinished(close);
    const daemon = { selection: "named", url, apiKey: undefined } as const;
    const options = {
      daemon,
      since: { count: 7, unit: "1d" },
      by: ["key"],
      per: undefined,
    } as const;
    await expect(runUsage({ ...options, output: "csv" })).rejects.toThrow(
      "This server keeps no usage",
    );
  });
});
