import { join } from "node:path";
import fc from "fast-check";
import type { LightMyRequestResponse } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { type BudgetUnit, startOf } from "../../../src/http/keys/usage-counter.js";
import { openUsage } from "../../../src/usage/open-usage.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { buildTestApp } from "../../support/test-app.js";
import { textIn } from "../../support/text-in.js";

const NOON = Date.parse("2026-05-20T12:00:00Z");
const CLIENTS = 30;
const REQUESTS_PER_CLIENT = 25;
const GROUPS = ["red", "green", "blue"];

interface Usage {
  readonly prompt: number;
  readonly completion: number;
}

/** A dialect: the body of a request, and the usage that its answer reports. */
interface Dialect {
  readonly url: string;
  body(content: string, maxTokens: number): object;
  usageOf(answer: LightMyRequestResponse): Usage;
}

const ofOpenAi = (usage: Readonly<Record<string, number>>): Usage => ({
  prompt: usage.prompt_tokens ?? Number.NaN,
  completion: usage.completion_tokens ?? Number.NaN,
});
const ofAnthropic = (usage: Readonly<Record<string, number>>): Usage => ({
  prompt: (usage.input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0),
  completion: usage.output_tokens ?? Number.NaN,
});
const messagesOf = (content: string) => [{ role: "user", content }];

const dialects: readonly Dialect[] = [
  {
    url: "/v1/chat/completions",
    body: (content, max_tokens) => ({ messages: messagesOf(content), max_tokens, n: 2 }),
    usageOf: (answer) => ofOpenAi(answer.json().usage),
  },
  {
    url: "/v1/chat/completions",
    body: (content, max_tokens) => ({
      messages: messagesOf(content),
      max_tokens,
      stream: true,
      stream_options: { include_usage: true },
    }),
    usageOf: ({ body }) => {
      const chunks = [...body.matchAll(/^data: (\{.*)$/gm)].map(([, json = ""]) =>
        JSON.parse(json),
      );
      return ofOpenAi(chunks.findLast(({ usage }) => usage).usage);
    },
  },
  {
    url: "/v1/completions",
    body: (content, max_tokens) => ({ prompt: [content, content], max_tokens }),
    usageOf: (answer) => ofOpenAi(answer.json().usage),
  },
  {
    url: "/v1/messages",
    body: (content, max_tokens) => ({ messages: messagesOf(content), max_tokens }),
    usageOf: (answer) => ofAnthropic(answer.json().usage),
  },
  {
    url: "/v1/responses",
    body: (input, max_output_tokens) => ({ input, max_output_tokens, store: false }),
    usageOf: (answer) => {
      const { input_tokens: prompt, output_tokens: completion } = answer.json().usage;
      return { prompt, completion };
    },
  },
  {
    url: "/api/chat",
    body: (content, num_predict) => ({
      messages: messagesOf(content),
      options: { num_predict },
      stream: false,
    }),
    usageOf: (answer) => {
      const { prompt_eval_count: prompt, eval_count: completion } = answer.json();
      return { prompt, completion };
    },
  },
];

interface Client {
  readonly name: string;
  readonly group: string;
  readonly attributes: string;
}

/** Clients with budgets of all kinds, some of which are used up in the simulation. */
function buildClients(random: (max: number) => number): readonly Client[] {
  const kinds = ["tokens-per-day", "tokens-per-month", "requests-per-day", "requests-per-month"];
  return Array.from({ length: CLIENTS }, (_, index) => {
    const kind = kinds[index % kinds.length] ?? "";
    const limit = kind.startsWith("tokens") ? 100 + random(700) : 3 + random(25);
    return {
      name: `client-${index}`,
      group: GROUPS[index % GROUPS.length] ?? "",
      attributes: index % 5 === 4 ? "" : `${kind}=${limit}`,
    };
  });
}

/** A server that answers with as many characters as the prompt's number says. */
async function startServer(folder: string, clients: readonly Client[], epochNow: () => number) {
  const { store, close } = await openUsage(folder, {
    retentionMs: Number.POSITIVE_INFINITY,
    onFailed: () => expect.unreachable("usage cannot be written"),
    now: epochNow,
  });
  const scriptOf = (text: string) => ({ parts: Array.from(text.slice(0, 4), () => "x") });
  const engine = new ScriptedEngine(
    ({ prompt }) => scriptOf(textIn(prompt.messages.at(-1)?.content ?? "")),
    {
      slots: 8,
      rawScript: ({ prompt }) => scriptOf(prompt.type === "text" ? prompt.text : ""),
    },
  );
  const { app, scheduler } = buildTestApp(engine, {
    usage: store,
    epochNow,
    keyLines: [
      ...clients.map(({ name, group, attributes }) =>
        `${name} name=${name} group=${group} ${attributes}`.trim(),
      ),
      ...GROUPS.map((group, index) => `group:${group} tokens-per-day=${1500 + 500 * index}`),
    ],
  });
  const stop = async () => {
    scheduler.endAll();
    await app.close();
    await close();
  };
  const budgetsOf = async (
    name: string,
  ): Promise<
    readonly {
      owner: string;
      unit: BudgetUnit;
      period: "day" | "month";
      used: number;
      limit: number;
      reserved: number;
    }[]
  > => (await app.inject({ url: "/v1/key", headers: { "x-api-key": name } })).json().budgets ?? [];
  return { app, store, stop, budgetsOf };
}

test("thirty clients with budgets use exactly the tokens that their answers report, also across a restart", async () => {
  const [seed = 0] = fc.sample(fc.nat(), { numRuns: 1 });
  let state = seed;
  const random = (max: number) => {
    // A linear congruential generator, so that a failure can be repeated by its seed.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % max;
  };
  const folder = join(await temporaryFolder(), "usage");
  const clients = buildClients(random);
  const reported = new Map(clients.map(({ name }) => [name, { requests: 0, tokens: 0 }]));
  const refused = new Set<string>();
  let server = await startServer(folder, clients, () => NOON);
  onTestFinished(() => server.stop());

  const runClient = async ({ name }: Client) => {
    for (let count = 0; count < REQUESTS_PER_CLIENT; count++) {
      const dialect = dialects[random(dialects.length)];
      if (dialect === undefined) throw new Error("expected a dialect");
      const answer = await server.app.inject({
        method: "POST",
        url: dialect.url,
        headers: { "x-api-key": name },
        payload: dialect.body("y".repeat(1 + random(20)), 1 + random(20)),
      });
      if (answer.statusCode === 429) {
        if (answer.headers["x-should-retry"] === "false") refused.add(name);
        continue;
      }
      expect(answer.statusCode, `seed ${seed}: ${answer.body}`).toBe(200);
      const { prompt, completion } = dialect.usageOf(answer);
      const sum = reported.get(name) ?? { requests: 0, tokens: 0 };
      sum.requests++;
      sum.tokens += prompt + completion;
      reported.set(name, sum);
    }
  };
  const sumOf = (names: readonly string[], unit: BudgetUnit) =>
    names.reduce((sum, name) => sum + (reported.get(name)?.[unit] ?? Number.NaN), 0);
  const expectExactSums = async () => {
    for (const { name, group } of clients) {
      const members = clients.filter((one) => one.group === group).map((one) => one.name);
      for (const { owner, unit, used, reserved, limit } of await server.budgetsOf(name)) {
        expect(reserved).toBe(0);
        expect(used, `seed ${seed}: ${unit} of ${owner} ${name}`).toBe(
          sumOf(owner === "key" ? [name] : members, unit),
        );
        // The last admitted request of two answers may have 2 * (20 + 20) tokens.
        expect(used).toBeLessThan(limit + (unit === "tokens" ? 80 : 1));
      }
      const stored = server.store.sumSince(name, startOf("day", NOON));
      expect(stored.promptTokens + stored.completionTokens).toBe(sumOf([name], "tokens"));
      expect(stored.requests).toBe(sumOf([name], "requests"));
    }
  };

  await Promise.all(clients.map(runClient));
  await expectExactSums();
  expect(refused.size).toBeGreaterThan(5);
  await server.stop();
  server = await startServer(folder, clients, () => NOON);
  await expectExactSums();
  const refusedBefore = new Set(refused);
  await Promise.all(clients.map(runClient));
  await expectExactSums();
  for (const name of refusedBefore) expect(refused).toContain(name);
});
