import { setTimeout as delay, setInterval } from "node:timers/promises";
import type { RequestRecord } from "../client/request-record.js";
import { percentile } from "../statistics.js";
import { ttftP50Measure, ttftP99Measure } from "./common-measures.js";
import { comparableFlags } from "./comparable-answers.js";
import { type Asked, KnownAnswerClients } from "./known-answer-clients.js";
import { type KnownAnswers, knownAnswers } from "./known-answers.js";
import { timesToFirstTokenMs } from "./reductions.js";
import type { Load, Measure, Scenario } from "./scenario.js";

const sizes = {
  full: { seconds: 300, prompts: 6, promptTokens: 24, maxTokens: 32 },
  quick: { seconds: 0.5, prompts: 2, promptTokens: 8, maxTokens: 8 },
} as const;

/** Interval at which processes are listed; shorter than the loading time of a model. */
const LOOK_EVERY_MS = 50;

const count = (label: string, better: Measure["better"] = "lower"): Measure => ({
  ...{ label, unit: "", better },
});
const none = (measure: string) => ({ measure, of: "ours", atMost: 0 }) as const;

/**
 * Clients that each request a random model, and check that every answer equals the model's known
 * one.
 */
export const models: Scenario = {
  name: "models",
  description:
    "16 clients query six models at random, two of which fit: wrong answers, waiting times",
  comparison: { kind: "alone", flags: comparableFlags },
  models: { all: 6, fitting: 2 },
  defaults: {
    full: { model: "1m-f32", clients: [16], slots: 4, contextSize: 512 },
    quick: { model: "tiny-f32", clients: [4], slots: 2, contextSize: 512 },
  },
  measures: {
    wrong: count("wrong answers"),
    failed: count("other failures than 503 with Retry-After"),
    hung: count("hung requests"),
    refused: count("refused with 503 and Retry-After"),
    answered: count("right answers", "higher"),
    unstable: count("requests without a known answer"),
    loads: count("loads of a model", "higher"),
    ttftP50: ttftP50Measure,
    ttftP99: ttftP99Measure,
    ttftMax: { ...ttftP50Measure, label: "TTFT, longest" },
  },
  targets: ["wrong", "failed", "hung"].map(none),
  async run(load) {
    const { known, unstable } = await answersOfEach(load);
    const stop = new AbortController();
    const counting = countLoads(load, stop.signal);
    const clients = new KnownAnswerClients(load, known);
    let asked: readonly Asked[] = [];
    try {
      const { seconds = sizes[load.effort].seconds, signal } = load;
      await delay(seconds * 1000, undefined, { signal });
    } finally {
      stop.abort();
      asked = await clients.stop();
    }
    for (const [status, requests] of countStatuses(asked)) load.recordSample({ status, requests });
    return { ...modelsMeasures(asked), unstable, loads: await counting };
  },
};

/** Collects the known answers, one model at a time. */
async function answersOfEach(load: Load): Promise<KnownAnswers> {
  const all: KnownAnswers[] = [];
  for (const model of load.models) all.push(await knownAnswers(load, requestsOf(load, model)));
  return {
    known: all.flatMap(({ known }) => known),
    unstable: all.reduce((total, { unstable }) => total + unstable, 0),
  };
}

/** Builds greedy requests and sampled ones with a seed each, the same for each model. */
function requestsOf({ effort, prompts }: Load, model: string) {
  const { prompts: count, promptTokens, maxTokens } = sizes[effort];
  return Array.from({ length: count }, (_, number) => ({
    model,
    messages: [{ role: "user" as const, content: prompts.text(String(number), promptTokens) }],
    maxTokens,
    ...(number % 2 === 1 && { sampling: { temperature: 1, seed: number } }),
  }));
}

/** Counts the processes that have held a model until `stop` is aborted. */
async function countLoads({ processes }: Load, stop: AbortSignal): Promise<number> {
  const seen = new Set<number>();
  try {
    for await (const _ of setInterval(LOOK_EVERY_MS, undefined, { signal: stop })) {
      for (const engine of processes().engines) seen.add(engine);
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  }
  return seen.size;
}

/** Measures of one run that concern requests. */
export function modelsMeasures(asked: readonly Asked[]) {
  const ended = asked.flatMap(({ known, record }) =>
    record === undefined ? [] : [{ known, record }],
  );
  const answered = ended.filter(({ record }) => record.error === undefined);
  const right = answered.filter(({ known, record }) => record.text === known.text);
  const refused = ended.filter(({ record }) => mayTryAgain(record));
  // A response that is not streamed arrives as a whole at its end.
  const ttfts = timesToFirstTokenMs(
    answered.map(({ record }) => record).filter(({ chunkTimesMs }) => chunkTimesMs.length > 1),
  );
  return {
    wrong: answered.length - right.length,
    failed: ended.length - answered.length - refused.length,
    hung: asked.length - ended.length,
    refused: refused.length,
    answered: right.length,
    ttftP50: percentile(ttfts, 50),
    ttftP99: percentile(ttfts, 99),
    ttftMax: Math.max(...ttfts),
  };
}

function mayTryAgain({ refusal }: RequestRecord): boolean {
  return refusal?.status === 503 && refusal.retryAfterSeconds !== undefined;
}

/** Counts requests by status; `none`: no answer, or one that broke off. */
export function countStatuses(asked: readonly Asked[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { record } of asked) {
    const status = statusOf(record);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return counts;
}

function statusOf(record: RequestRecord | undefined): string {
  if (record !== undefined && record.error === undefined) return "200";
  return String(record?.refusal?.status ?? "none");
}
