import { setTimeout as delay } from "node:timers/promises";
import { InputError } from "../../models/command-line/input-error.js";
import type { ChatRequest } from "../client/chat-request.js";
import { probeLiveness } from "../client/liveness-probes.js";
import type { ServerProcesses } from "../servers/server-processes.js";
import { chaosMeasures, type Fault } from "./chaos-measures.js";
import { type Asked, KnownAnswerClients, knownAnswers } from "./known-answers.js";
import type { Load, Measure, Scenario } from "./scenario.js";

/**
 * Model whose answers are byte-for-byte comparable across batches. Sums depend on the order of
 * addition, which depends on the batch, and quantised weights and states amplify the rounding: one
 * answer in 200 to 240 differed. With f32 everywhere none of 803 did.
 */
const comparableModel = "shipped-f32";

/** Server flags that comparable answers need. */
const comparableFlags: readonly string[] = ["--kv-cache-type", "f32"];

const sizes = {
  full: { kills: 50, hangs: 10, prompts: 24, promptTokens: 24, maxTokens: 48, calmMs: 1500 },
  quick: { kills: 3, hangs: 1, prompts: 6, promptTokens: 8, maxTokens: 16, calmMs: 300 },
} as const;

/**
 * Time without a step, while work waits, after which the watchdog treats the engine as hung. A busy
 * machine takes seconds for a step.
 */
const WATCHDOG_SECONDS = 5;
/** Time of the last fault, so that the run ends even if every backoff is as long as possible. */
const MAX_MS = 45 * 60_000;

const count = (label: string): Measure => ({ label, unit: "", better: "lower" });
const none = (measure: string) => ({ measure, of: "ours", atMost: 0 }) as const;

/** Kills and stops the engine's process at random moments under load. */
export const chaos: Scenario = {
  name: "chaos",
  description: "the engine's process is killed 50 times and stopped 10 times under load",
  comparison: {
    kind: "alone",
    flags: ["--engine-watchdog", String(WATCHDOG_SECONDS), ...comparableFlags],
  },
  defaults: {
    full: { model: comparableModel, clients: [12], slots: 4, contextSize: 512 },
    quick: { model: comparableModel, clients: [6], slots: 2, contextSize: 512 },
  },
  measures: {
    faults: { label: "faults", unit: "", better: "higher" },
    hung: count("hung requests"),
    wrong: count("wrong answers"),
    lost: count("waiting requests that failed"),
    torn: count("streams that broke off without an error event"),
    notReady: count("faults without a new engine in time"),
    healthFailures: count("failures of /health/live"),
    answered: { label: "right answers", unit: "", better: "higher" },
    cut: count("streams cut with an error event"),
    refused: count("refused while there was no engine"),
    unstable: count("requests without a known answer"),
    readyP50: { label: "time to a new engine, p50", unit: "s", better: "lower" },
    readyMax: { label: "time to a new engine, longest", unit: "s", better: "lower" },
  },
  targets: [...["hung", "wrong", "lost", "torn", "notReady", "healthFailures"].map(none)],
  async run(load) {
    const { baseUrl, effort } = load;
    const { known, unstable } = await knownAnswers(load, requestsOf(load));
    const stop = new AbortController();
    const probing = probeLiveness(baseUrl, stop.signal);
    const clients = new KnownAnswerClients(load, known);
    const faults: Fault[] = [];
    let asked: readonly Asked[] = [];
    try {
      const { calmMs } = sizes[effort];
      const random = load.prompts.random("faults");
      const deadlineMs = performance.now() + MAX_MS;
      for (const signal of signalsOf(load)) {
        if (performance.now() > deadlineMs) break;
        await delay(random.int(0, calmMs), undefined, { signal: load.signal });
        const fault = await strike(load, signal);
        faults.push(fault);
        load.recordSample(sampleOf(faults.length, fault));
        await clients.openEnded();
      }
    } finally {
      stop.abort();
      asked = await clients.stop();
    }
    return chaosMeasures({ asked, faults, unstable, probes: await probing });
  },
};

/** Builds greedy requests and sampled ones with a seed each. */
function requestsOf({ effort, prompts }: Load): ChatRequest[] {
  const { prompts: count, promptTokens, maxTokens } = sizes[effort];
  return Array.from({ length: count }, (_, number) => ({
    messages: [{ role: "user", content: prompts.text(String(number), promptTokens) }],
    maxTokens,
    ...(number % 2 === 1 && { sampling: { temperature: 1, seed: number } }),
  }));
}

/** Signals of all faults, in random order. */
function signalsOf({ effort, prompts }: Load): NodeJS.Signals[] {
  const { kills, hangs } = sizes[effort];
  const signals: NodeJS.Signals[] = [
    ...Array.from({ length: kills }, (_, index) => CRASHES[index % CRASHES.length] ?? "SIGKILL"),
    ...Array.from({ length: hangs }, () => HANG),
  ];
  return prompts.random("signals").sample(signals, signals.length);
}

function sampleOf(number: number, { signal, atMs, readyAtMs }: Fault) {
  const seconds = readyAtMs === undefined ? "never" : (readyAtMs - atMs) / 1000;
  return { fault: number, signal, "ready after s": seconds };
}

const POLL_INTERVAL_MS = 50;

/**
 * Polls until a condition holds.
 * @param timeoutMs time after which polling stops
 * @returns whether the condition held in time
 */
async function waitUntil(
  isSo: () => Promise<boolean>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!(await isSo())) {
    if (performance.now() > deadlineMs) return false;
    await delay(POLL_INTERVAL_MS, undefined, { signal });
  }
  return true;
}

/** Longer than the longest backoff plus loading the model. */
const READY_TIMEOUT_MS = 75_000;
/** Wait after killing a process that was not replaced in time. */
const GIVE_UP_MS = 1000;

/** Signals that crash a process. */
const CRASHES: readonly NodeJS.Signals[] = ["SIGKILL", "SIGSEGV", "SIGABRT"];
/** Signal that makes a process hang: it exists, but does nothing. */
const HANG: NodeJS.Signals = "SIGSTOP";

/**
 * Sends a signal to the engine's process and waits until its replacement is ready.
 * @throws {InputError} if the server has no engine process
 */
async function strike(load: Load, signal: NodeJS.Signals): Promise<Fault> {
  const { baseUrl, processes } = load;
  const [victim] = processes().engines;
  if (victim === undefined) throw new InputError(`${baseUrl}: expected an engine's process`);
  const atMs = performance.now();
  process.kill(victim, signal);
  const isReady = async () =>
    isReplaced(victim, processes()) && (await statusOf(baseUrl, "/health/ready")) === 200;
  if (await waitUntil(isReady, READY_TIMEOUT_MS, load.signal)) {
    return { signal, atMs, readyAtMs: performance.now() };
  }
  // Lets the run continue, whatever the state of the engine.
  for (const engine of processes().engines) process.kill(engine, "SIGKILL");
  await delay(GIVE_UP_MS, undefined, { signal: load.signal });
  return { signal, atMs, readyAtMs: undefined };
}

/** Whether the server has noticed the exit and started another engine. */
function isReplaced(victim: number, { engines }: ServerProcesses): boolean {
  return engines.length > 0 && !engines.includes(victim);
}

async function statusOf(baseUrl: string, path: string): Promise<number | undefined> {
  const response = await fetch(new URL(path, baseUrl)).catch(() => undefined);
  await response?.text();
  return response?.status;
}
