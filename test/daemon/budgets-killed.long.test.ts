import { EventEmitter, once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { UsageList } from "../../src/api/usage/answer.js";
import { sumBy } from "../../src/core/sum-by.js";
import { eventually } from "../support/eventually.js";
import { tinyModel } from "../support/random-models.js";
import { type Daemon, SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";
import { serving } from "./engine-of.js";

const CLIENTS = 30;
const TEAMS = 3;
const KEY_BUDGET = 12;
/** Smaller than the budgets of its keys together. */
const FIRST_TEAM_BUDGET = 60;
/** Answers of all clients after which the daemon is killed, in turn. */
const KILLS_AFTER = [40, 90, 150];

const names = Array.from({ length: CLIENTS }, (_, index) => `client-${index}`);
const teamOf = (name: string) => names.indexOf(name) % TEAMS;

const keyFile = [
  "root-key name=root scopes=admin",
  ...names.map((name) => {
    const team = `group=team-${teamOf(name)}`;
    return `${name}-key name=${name} requests-per-month=${KEY_BUDGET} ${team}`;
  }),
  `group:team-0 requests-per-month=${FIRST_TEAM_BUDGET}`,
  ...names.slice(1, TEAMS).map((_, index) => `group:team-${index + 1}`),
].join("\n");

/** A daemon that is replaced by the next one when it is killed. */
class KilledDaemon {
  readonly #args: readonly string[];
  #latest: Promise<Daemon>;
  readonly #kills = new EventEmitter().setMaxListeners(CLIENTS);
  kills = 0;

  constructor(args: readonly string[]) {
    this.#args = args;
    this.#latest = start(args);
  }

  get latest(): Promise<Daemon> {
    return this.#latest;
  }

  /** Waits for a kill, unless there have been more than `kills`. */
  async killedAfter(kills: number): Promise<void> {
    if (this.kills === kills) await once(this.#kills, "kill");
  }

  kill(): Promise<Daemon> {
    this.kills++;
    this.#kills.emit("kill");
    const killed = this.#latest;
    this.#latest = killed.then(async (daemon) => {
      daemon.process.kill("SIGKILL");
      await daemon.exited;
      return start(this.#args);
    });
    return this.#latest;
  }
}

type Outcome =
  | { readonly type: "answer"; readonly tokens: number }
  | { readonly type: "exhausted" | "reserved" }
  | { readonly type: "killed" };

/** Sends a request that always uses the same number of tokens. */
async function ask({ url }: Daemon, name: string): Promise<Outcome> {
  let status: number;
  let text: string;
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-api-key": `${name}-key`, "content-type": "application/json" },
      body: JSON.stringify({
        messages: [{ role: "user", content: "Hi" }],
        max_tokens: 16,
        ignore_eos: true,
      }),
    });
    status = response.status;
    text = await response.text();
  } catch {
    return { type: "killed" };
  }
  if (status === 429) {
    const { code } = JSON.parse(text).error;
    // The rest of the budget is reserved for requests that are running.
    if (code === "rate_limit_exceeded") return { type: "reserved" };
    expect(code).toBe("insufficient_quota");
    return { type: "exhausted" };
  }
  expect([status, text]).toEqual([200, expect.anything()]);
  return { type: "answer", tokens: JSON.parse(text).usage.total_tokens };
}

/** Asks until the budget is used up, and no kill can make room in it again. */
async function askUntilExhausted(
  site: KilledDaemon,
  name: string,
  onAnswer: (tokens: number) => void,
): Promise<void> {
  for (;;) {
    const { kills } = site;
    const outcome = await ask(await site.latest, name);
    if (outcome.type === "answer") onAnswer(outcome.tokens);
    if (outcome.type !== "exhausted") continue;
    if (kills === KILLS_AFTER.length) return;
    // A kill may lose the last usage, so that the budget has room again.
    await site.killedAfter(kills);
  }
}

/** Stored requests and tokens of this month, by key. */
async function readUsage({ url }: Daemon) {
  const response = await fetch(`${url}/v1/usage?bucket_width=1mo&limit=1&group_by=key`, {
    headers: { "x-api-key": "root-key" },
  });
  const { data } = (await response.json()) as UsageList;
  const results = data.flatMap((bucket) => bucket.results);
  return new Map(
    results.map((one) => [
      one.api_key_id ?? "",
      { requests: one.num_model_requests, tokens: one.input_tokens + one.output_tokens },
    ]),
  );
}

describe("budgets of thirty clients", { timeout: 2 * SEVERAL_STARTS }, () => {
  it("agree with stored usage, and are used up exactly, although the daemon is killed", async () => {
    const folder = temporaryFolder();
    const keys = join(folder, "keys");
    writeFileSync(keys, keyFile);
    const usage = join(folder, "usage");
    const site = new KilledDaemon([
      ...serving(tinyModel()),
      ...["--api-key-file", keys, "--usage", usage, "--parallel", "8"],
    ]);

    const sizes = new Set<number>();
    let answers = 0;
    const useUp = (name: string) =>
      askUntilExhausted(site, name, (tokens) => {
        sizes.add(tokens);
        answers++;
        const due = KILLS_AFTER[site.kills];
        if (due !== undefined && answers >= due) void site.kill();
      });
    await Promise.all(names.map(useUp));
    expect(site.kills).toBe(KILLS_AFTER.length);

    const daemon = await site.latest;
    const [size = 0] = sizes;
    expect(sizes.size).toBe(1);
    const stored = await readUsage(daemon);
    for (const name of names) {
      const { requests = 0, tokens = 0 } = stored.get(name) ?? {};
      expect({ name, tokens }).toEqual({ name, tokens: requests * size });
      expect(requests).toBeLessThanOrEqual(KEY_BUDGET);
      if (teamOf(name) > 0) expect({ name, requests }).toEqual({ name, requests: KEY_BUDGET });
    }
    const ofFirstTeam = names.filter((name) => teamOf(name) === 0);
    expect(sumBy(ofFirstTeam, (name) => stored.get(name)?.requests ?? 0)).toBe(FIRST_TEAM_BUDGET);

    // With all usage written, a kill changes nothing.
    await eventually(async () => {
      const metrics = await fetch(`${daemon.url}/metrics`, {
        headers: { "x-api-key": "root-key" },
      });
      expect(await metrics.text()).toMatch(/^ggufd:usage_unwritten_requests 0$/m);
    });
    const restarted = await site.kill();
    expect(await readUsage(restarted)).toEqual(stored);
    for (const name of names) expect(await ask(restarted, name)).toEqual({ type: "exhausted" });
  });
});
