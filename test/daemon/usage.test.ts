import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { UsageList } from "../../src/api/usage/answer.js";
import { sumBy } from "../../src/core/sum-by.js";
import { eventually } from "../support/eventually.js";
import { tinyModel } from "../support/random-models.js";
import { type Daemon, run, SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";
import { serving } from "./engine-of.js";

interface Totals {
  readonly requests: number;
  readonly prompt: number;
  readonly generated: number;
}

const NOTHING: Totals = { requests: 0, prompt: 0, generated: 0 };

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
  const results = data.flatMap((bucket) => bucket.results);
  return {
    requests: sumBy(results, (one) => one.num_model_requests),
    prompt: sumBy(results, (one) => one.input_tokens),
    generated: sumBy(results, (one) => one.output_tokens),
  };
}

/** Value of a metric without labels. */
async function readMetric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
}

/**
 * Chats one after the other.
 * @param before usage so far
 * @returns usage that the answers report, with `before`, after each of them, the last one first
 */
async function chat(
  { url }: Daemon,
  before: Totals,
  count: number,
): Promise<[Totals, ...Totals[]]> {
  const totals: [Totals, ...Totals[]] = [before];
  for (let number = 0; number < count; number++) {
    const { usage } = (await post(url, "/v1/chat/completions", {
      messages: [{ role: "user", content: `Hello ${number}` }],
      max_tokens: 8,
    })) as { usage: { prompt_tokens: number; completion_tokens: number } };
    const [{ requests, prompt, generated }] = totals;
    totals.unshift({
      requests: requests + 1,
      prompt: prompt + usage.prompt_tokens,
      generated: generated + usage.completion_tokens,
    });
  }
  return totals;
}

const whenWritten = (url: string) =>
  eventually(async () => expect(await readMetric(url, "ggufd:usage_unwritten_requests")).toBe(0));

describe("stored usage", { timeout: SEVERAL_STARTS }, () => {
  it("is what answers have reported, after kills and restarts", async () => {
    const usage = join(temporaryFolder(), "usage");
    const args = [...serving(tinyModel()), "--usage", usage];
    const first = await start(args);
    const [before] = await chat(first, NOTHING, 5);
    expect(await readTotals(first.url)).toEqual(before);
    // Written when the daemon stops, without waiting for the next write.
    first.process.kill("SIGTERM");
    expect((await first.exited).code).toBe(0);

    const second = await start(args);
    expect(await readTotals(second.url)).toEqual(before);
    const [written] = await chat(second, before, 5);
    await whenWritten(second.url);
    const later = await chat(second, written, 3);
    second.process.kill("SIGKILL");
    await second.exited;

    // Only the last answers, which were not yet written, may be missing.
    const third = await start(args);
    expect([written, ...later]).toContainEqual(await readTotals(third.url));
    const { code, stderr } = await run([...args, "--port", "0"]);
    expect(stderr).toMatch(/^ggufd: --usage .*: the folder is in use by process \d+ on /);
    expect(code).toBe(1);
  });
});
