import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { UsageList } from "../../src/api/usage/answer.js";
import { eventually } from "../support/eventually.js";
import { tinyModel } from "../support/random-models.js";
import { type Daemon, run, SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";
import { serving } from "./engine-of.js";

interface Totals {
  requests: number;
  prompt: number;
  generated: number;
}

async function post(url: string, path: string, body: object): Promise<unknown> {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.json();
}

/** Usage of this month and the previous one. */
async function readTotals(url: string): Promise<Totals> {
  const response = await fetch(`${url}/v1/usage?bucket_width=1mo&limit=2`);
  const { data } = (await response.json()) as UsageList;
  const totals = { requests: 0, prompt: 0, generated: 0 };
  for (const result of data.flatMap(({ results }) => results)) {
    totals.requests += result.num_model_requests;
    totals.prompt += result.input_tokens;
    totals.generated += result.output_tokens;
  }
  return totals;
}

/** Value of a metric without labels. */
async function readMetric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
}

/** Chats one after the other. @returns the usage that the answers report */
async function chat({ url }: Daemon, count: number): Promise<Totals> {
  const totals = { requests: 0, prompt: 0, generated: 0 };
  for (let number = 0; number < count; number++) {
    const { usage } = (await post(url, "/v1/chat/completions", {
      messages: [{ role: "user", content: `Hello ${number}` }],
      max_tokens: 8,
    })) as { usage: { prompt_tokens: number; completion_tokens: number } };
    totals.requests++;
    totals.prompt += usage.prompt_tokens;
    totals.generated += usage.completion_tokens;
  }
  return totals;
}

function plus(one: Totals, other: Totals): Totals {
  return {
    requests: one.requests + other.requests,
    prompt: one.prompt + other.prompt,
    generated: one.generated + other.generated,
  };
}

const whenWritten = (url: string) =>
  eventually(async () => expect(await readMetric(url, "ggufd:usage_unwritten_requests")).toBe(0));

describe("stored usage", { timeout: SEVERAL_STARTS }, () => {
  it("is what answers have reported, after kills and restarts", async () => {
    const usage = join(temporaryFolder(), "usage");
    const args = [...serving(tinyModel()), "--usage", usage];
    const first = await start(args);
    const before = await chat(first, 5);
    expect(await readTotals(first.url)).toEqual(before);
    await whenWritten(first.url);
    first.process.kill("SIGKILL");
    await first.exited;

    const second = await start(args);
    expect(await readTotals(second.url)).toEqual(before);
    const after = plus(before, await chat(second, 5));
    // Written when the daemon stops, without waiting for the next write.
    second.process.kill("SIGTERM");
    expect((await second.exited).code).toBe(0);

    const third = await start(args);
    expect(await readTotals(third.url)).toEqual(after);
    const written = plus(after, await chat(third, 5));
    await whenWritten(third.url);
    const answered = plus(written, await chat(third, 3));
    third.process.kill("SIGKILL");
    await third.exited;

    // Only answers that were not yet written may be missing.
    const fourth = await start(args);
    const stored = await readTotals(fourth.url);
    expect(stored.requests).toBeGreaterThanOrEqual(written.requests);
    expect(stored.requests).toBeLessThanOrEqual(answered.requests);
    const { code, stderr } = await run([...args, "--port", "0"]);
    expect(stderr).toMatch(/^ggufd: --usage .*: the folder is in use by process \d+ on /);
    expect(code).toBe(1);
  });
});
