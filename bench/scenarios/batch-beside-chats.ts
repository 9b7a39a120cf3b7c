import { setTimeout as delay } from "node:timers/promises";
import { InputError } from "../../models/command-line/input-error.js";
import { cancelBatch, createBatch, hasEnded, readBatch } from "../client/batches.js";
import { type ChatRequest, toBody } from "../client/chat-request.js";
import { inOpenLoop } from "../client/open-loop.js";
import type { RequestRecord } from "../client/request-record.js";
import { poissonArrivals } from "../goodput/arrivals.js";
import type { PromptWriter } from "../prompts/prompt-writer.js";
import { mean, sum } from "../statistics.js";
import { batchFlags, failures, idleSeconds } from "./batch-measures.js";
import { latencyMeasures, latencyValues } from "./latency.js";
import {
  completionTokens,
  interTokenLatenciesMs,
  timesToFirstTokenMs,
  type Window,
} from "./reductions.js";
import type { Load, Measure, Scenario } from "./scenario.js";

const sizes = {
  full: {
    ...{ promptTokens: 64, maxTokens: 64, idleChats: 10 },
    ...{ lines: 10_000, rampMs: 5000, aloneMs: 60_000 },
  },
  quick: {
    ...{ promptTokens: 16, maxTokens: 16, idleChats: 2 },
    ...{ lines: 5000, rampMs: 100, aloneMs: 500 },
  },
} as const;

/** Mean number of chats in flight; without queueing, there is none for 61 % of the time. */
const CHATS_IN_FLIGHT = 0.5;

/** Time between two readings of a counter. */
const POLL_MS = 20;

const CHAT_SECONDS = "chat s";

const ratioOf = (label: string): Measure => ({
  label: `${label}, with a batch to without`,
  unit: "",
  better: "lower",
});

/** Random arrivals of chats without a batch, and while one runs. */
export const batchBesideChats: Scenario = {
  name: "batch-beside-chats",
  description: "random arrivals of chats, without a batch and while one runs",
  comparison: { kind: "alone", flags: batchFlags },
  // Each client sends one chat without a batch, and one while it runs.
  defaults: {
    full: { model: "135m+gpt-2", clients: [100], slots: 32, contextSize: 512 },
    quick: { model: "tiny", clients: [8], slots: 4, contextSize: 512 },
  },
  measures: {
    ...latencyMeasures("calmTtft", "TTFT", "without a batch"),
    ...latencyMeasures("calmItl", "ITL", "without a batch"),
    ...latencyMeasures("ttft", "TTFT", "with a batch"),
    ...latencyMeasures("itl", "ITL", "with a batch"),
    ttftRatio: ratioOf("TTFT p99"),
    itlRatio: ratioOf("ITL p99"),
    aloneRate: { label: "output of the batch, without chats", unit: "tok/s", better: "higher" },
    idleRate: { label: "output of the batch, per idle second", unit: "tok/s", better: "higher" },
    idleShare: { label: "idle time used by the batch", unit: "", better: "higher" },
    idle: { label: "time without a chat", unit: "%", better: "higher" },
    failedChats: { label: "failed chats", unit: "", better: "lower" },
  },
  targets: [
    { measure: "ttftRatio", of: "ours", atMost: 1.15 },
    { measure: "itlRatio", of: "ours", atMost: 1.15 },
    { measure: "idleShare", of: "ours", atLeast: 0.9 },
    { measure: "failedChats", of: "ours", atMost: 0 },
  ],
  async calibrate(load) {
    const seconds: number[] = [];
    for (let number = 0; number < sizes[load.effort].idleChats; number++) {
      const { startedAtMs, endedAtMs } = await load.complete(chatOf(load, `idle ${number}`));
      seconds.push((endedAtMs - startedAtMs) / 1000);
    }
    return { [CHAT_SECONDS]: mean(seconds) };
  },
  async run(load) {
    const { clients, signal } = load;
    const { rampMs, aloneMs } = sizes[load.effort];
    const half = Math.floor(clients / 2);
    const batchAlone = () => whileCounting(load, () => delay(aloneMs / 2, undefined, { signal }));
    // Halves before and after the rest cancel out a steady change of the machine's speed.
    const calmBefore = await chatAtRandom(load, "calm", { from: 0, to: half });
    const { id } = await createBatch(load, "/v1/chat/completions", linesOf(load));
    await awaitTokens(load, id);
    await delay(rampMs, undefined, { signal });
    const aloneBefore = await batchAlone();
    const beside = await whileCounting(load, () =>
      chatAtRandom(load, "beside", { from: 0, to: clients }),
    );
    const aloneAfter = await batchAlone();
    const lasted = !hasEnded(await readBatch(load, id));
    await cancelBatch(load, id);
    const calmAfter = await chatAtRandom(load, "calm", { from: half, to: clients });
    return besideChatsMeasures({
      calm: [...calmBefore, ...calmAfter],
      alone: [aloneBefore, aloneAfter],
      beside: { ...beside, chats: beside.result },
      lasted,
    });
  },
};

/** Tokens that a server generated in a window. */
export interface CountedTokens {
  readonly window: Window;
  readonly tokens: number;
}

/** Chats and the batch of one run. */
export interface BesideChats {
  readonly calm: readonly RequestRecord[];
  /** While only the batch ran. */
  readonly alone: readonly CountedTokens[];
  /** While both ran. */
  readonly beside: CountedTokens & { readonly chats: readonly RequestRecord[] };
  /** Whether the batch ran as long as it is measured; otherwise its rates are not known. */
  readonly lasted: boolean;
}

/** Measures of one run. */
export function besideChatsMeasures({ calm, alone, beside, lasted }: BesideChats) {
  const { chats, window } = beside;
  const calmTtft = latencyValues("calmTtft", timesToFirstTokenMs(calm));
  const calmItl = latencyValues("calmItl", interTokenLatenciesMs(calm));
  const ttft = latencyValues("ttft", timesToFirstTokenMs(chats));
  const itl = latencyValues("itl", interTokenLatenciesMs(chats));
  const idle = idleSeconds(window, chats);
  const aloneTokens = sum(alone.map(({ tokens }) => tokens));
  const aloneSeconds = sum(alone.map(({ window }) => secondsOf(window)));
  const aloneRate = lasted ? aloneTokens / aloneSeconds : Number.NaN;
  const idleRate = lasted ? (beside.tokens - completionTokens(chats)) / idle : Number.NaN;
  return {
    ...calmTtft,
    ...calmItl,
    ...ttft,
    ...itl,
    ttftRatio: ttft.ttftP99 / calmTtft.calmTtftP99,
    itlRatio: itl.itlP99 / calmItl.calmItlP99,
    aloneRate,
    idleRate,
    idleShare: idleRate / aloneRate,
    idle: (100 * idle) / secondsOf(window),
    failedChats: failures([...calm, ...chats]),
  };
}

function secondsOf({ fromMs, toMs }: Window): number {
  return (toMs - fromMs) / 1000;
}

/**
 * Sends chats at random times, the same ones in every phase of a run.
 * @param part numbers of the first chat, and of the one after the last
 */
function chatAtRandom(
  load: Load,
  phase: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<RequestRecord[]> {
  const { clients, prompts, complete, calibrations, signal } = load;
  const rate = CHATS_IN_FLIGHT / (calibrations[0]?.[CHAT_SECONDS] ?? Number.NaN);
  const arrivals = poissonArrivals(clients, prompts.random("arrivals"));
  const beginSeconds = arrivals[from - 1] ?? 0;
  const calls = arrivals.slice(from, to).map((atSeconds, index) => ({
    atMs: (1000 * (atSeconds - beginSeconds)) / rate,
    call: () => complete(chatOf(load, `${phase} ${from + index}`)),
  }));
  return inOpenLoop(calls, signal);
}

function chatOf({ effort, prompts }: Load, name: string): ChatRequest {
  const { promptTokens, maxTokens } = sizes[effort];
  return sampledRequest(prompts, name, promptTokens, maxTokens);
}

/** Returns the lines of a batch that outlasts the chats: two to six times as long as these. */
function linesOf({ effort, models, prompts }: Load): readonly object[] {
  const { lines, promptTokens, maxTokens } = sizes[effort];
  const lengths = prompts.random("line lengths");
  return Array.from({ length: lines }, (_, number) => {
    const tokens = lengths.int(2 * maxTokens, 6 * maxTokens);
    const request = sampledRequest(prompts, `line ${number}`, promptTokens, tokens);
    return toBody({ ...request, mode: { kind: "non-streamed" } }, models[0] ?? "");
  });
}

/** Sampled, because speculation would send the repetitions of greedy decoding in bursts. */
function sampledRequest(
  prompts: PromptWriter,
  name: string,
  promptTokens: number,
  maxTokens: number,
): ChatRequest {
  const content = prompts.text(name, promptTokens);
  return {
    messages: [{ role: "user", content }],
    maxTokens,
    sampling: { temperature: 1, seed: 1 },
  };
}

/** Waits until a batch has generated a token, or has ended. */
async function awaitTokens(load: Load, id: string): Promise<void> {
  const before = await generatedTokens(load.baseUrl);
  while ((await generatedTokens(load.baseUrl)) === before) {
    if (hasEnded(await readBatch(load, id))) return;
    await delay(POLL_MS, undefined, { signal: load.signal });
  }
}

/** Counts the tokens that a server generates during an action. */
async function whileCounting<Result>(
  { baseUrl }: Load,
  act: () => Promise<Result>,
): Promise<CountedTokens & { readonly result: Result }> {
  const tokensBefore = await generatedTokens(baseUrl);
  const fromMs = performance.now();
  const result = await act();
  const toMs = performance.now();
  const tokens = (await generatedTokens(baseUrl)) - tokensBefore;
  return { window: { fromMs, toMs }, tokens, result };
}

/** @throws {InputError} without an answer */
async function generatedTokens(baseUrl: string): Promise<number> {
  const url = new URL("/metrics", baseUrl);
  const response = await fetch(url);
  const text = await response.text();
  if (response.ok) return counterIn(text, "ggufd:generation_tokens_total");
  throw new InputError(`${url}: expected metrics, got HTTP ${response.status}`);
}

/** Returns the sum of a counter over all labels, in Prometheus's text format. */
export function counterIn(text: string, name: string): number {
  return text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(" "))), 0);
}
