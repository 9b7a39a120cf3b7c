import { inParallel } from "../client/in-parallel.js";
import { type Exchange, exchange } from "../malformed/exchange.js";
import { judge } from "../malformed/judge.js";
import { type Destination, idleRequest, malformedRequest } from "../malformed/malformed-request.js";
import type { RawRequest } from "../malformed/raw-request.js";
import type { ServerMemory } from "../servers/process-memory.js";
import { servedModel } from "../servers/served-models.js";
import type { ServerProcesses } from "../servers/server-processes.js";
import { malformedMeasures, malformedSamples, type Sent } from "./malformed-measures.js";
import type { Load, Scenario } from "./scenario.js";
import { smallCacheFlags } from "./small-cache.js";

const sizes = {
  full: { requests: 20_000, idle: 40 },
  quick: { requests: 500, idle: 0 },
} as const;

/** Rounds, between which memory is read. Divides the number of requests of each effort. */
const ROUNDS = 25;
/** Longer than a server's timeout for a complete request plus the interval of its check. */
const SILENT_AFTER_MS = 120_000;
/**
 * Tokens of the prompt and of the answer of the final requests, which show whether the server still
 * works.
 */
const LAST_TOKENS = 8;

/** Thousands of requests that are malformed in every way, none of which may harm the server. */
export const malformed: Scenario = {
  name: "malformed",
  description:
    "20,000 malformed requests over raw sockets: truncated, ambiguous, huge, wrongly encoded, mutated JSON",
  comparison: { kind: "alone", flags: smallCacheFlags },
  hasProjector: true,
  defaults: {
    full: { model: "tiny", clients: [32], slots: 4, contextSize: 512 },
    quick: { model: "tiny", clients: [8], slots: 2, contextSize: 512 },
  },
  measures: {
    crashes: { label: "processes that ended", unit: "", better: "lower" },
    serverErrors: { label: "5xx, other than 501, 503 and 505", unit: "", better: "lower" },
    unanswered: { label: "without an answer that is due", unit: "", better: "lower" },
    accepted: { label: "ambiguous ones accepted", unit: "", better: "lower" },
    overloaded: { label: "503", unit: "", better: "lower" },
    unserved: { label: "valid requests that failed afterwards", unit: "", better: "lower" },
    sent: { label: "requests", unit: "", better: "higher" },
    growth: { label: "memory growth", unit: "MB", better: "lower" },
    drift: { label: "memory drift", unit: "MB", better: "lower" },
  },
  targets: [
    ...(["crashes", "serverErrors", "unanswered", "accepted", "unserved"] as const).map(
      (measure) => ({ measure, of: "ours", atMost: 0 }) as const,
    ),
    { measure: "drift", of: "ours", atMost: 10 },
  ],
  async run(load) {
    const { baseUrl, effort, clients, prompts, memory, processes, complete, recordSample } = load;
    const url = new URL(baseUrl);
    const destination = { host: url.host, model: await servedModel(baseUrl) };
    const send = async (request: RawRequest): Promise<Sent> => {
      const answer = await exchange(url, request, SILENT_AFTER_MS);
      return { request, answer, offence: judge(request, answer) };
    };
    let running = processes();
    let crashes = 0;
    const idle = sendIdle(load, destination, send);
    const readings: ServerMemory[] = [memory()];
    const sent: Sent[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const count = sizes[effort].requests / ROUNDS;
      const answers = await inParallel(count, clients, (number) => {
        const random = prompts.random(`request ${round * count + number}`);
        return send(malformedRequest(destination, random));
      });
      sent.push(...answers.map(withoutBytes));
      readings.push(memory());
      const now = processes();
      crashes += endedSince(running, now);
      running = now;
      load.signal.throwIfAborted();
    }
    sent.push(...(await idle).map(withoutBytes));
    const content = prompts.text("last", LAST_TOKENS);
    const last = await complete({ messages: [{ role: "user", content }], maxTokens: LAST_TOKENS });
    for (const sample of malformedSamples(sent)) recordSample(sample);
    return malformedMeasures({
      ...{ sent, readings, crashes },
      unserved: last.error === undefined ? 0 : 1,
    });
  },
};

/**
 * Sends all idle requests at once, alongside the others; each holds its connection for a minute.
 */
function sendIdle(
  { effort, prompts }: Load,
  destination: Destination,
  send: (request: RawRequest) => Promise<Sent>,
): Promise<Sent[]> {
  const numbers = Array.from({ length: sizes[effort].idle }, (_, number) => number);
  return Promise.all(
    numbers.map((number) => send(idleRequest(destination, prompts.random(`idle ${number}`)))),
  );
}

/** Drops the bytes of requests without an offence; all of them would fill the client's memory. */
function withoutBytes({ request, answer, offence }: Sent): Sent {
  if (offence !== undefined) return { request, answer, offence };
  const empty: Exchange = { ...answer, answer: "" };
  return { request: { ...request, bytes: Buffer.alloc(0) }, answer: empty, offence };
}

/** Counts the processes with a model that have been replaced. */
function endedSince(before: ServerProcesses, after: ServerProcesses): number {
  return before.engines.filter((engine) => !after.engines.includes(engine)).length;
}
