import { hasEnded } from "../../batches/batch.js";
import { computeGrowth, type Scrape } from "../../live-metrics/scrape.js";
import { type DaemonAddress, type DaemonClient, DaemonError } from "../daemon/daemon-client.js";
import { type Wait, waitFor } from "../daemon/wait.js";
import type { ProgressOutput } from "../models/pull-progress.js";
import { readMetrics } from "../top/read-metrics.js";
import { type BatchEntry, fetchBatch } from "./batch-client.js";
import { BatchProgress } from "./batch-progress.js";

const POLL_INTERVAL_MS = 1000;

/** Consecutive polls without an answer: five minutes, in which a daemon restarts. */
const MAX_FAILED_POLLS = 300;

/** Errors of a daemon that restarts. */
const RESTART_CODES: readonly string[] = [
  "unreachable",
  "no-ggufd",
  "model_loading",
  "shutting_down",
];

const TOKEN_METRICS = ["ggufd:prompt_tokens_total", "ggufd:generation_tokens_total"] as const;

interface FollowOptions {
  /** Name of the input. */
  readonly name: string;
  readonly apiKey: string | undefined;
  readonly terminal: { readonly stderr: ProgressOutput };
  readonly signal: AbortSignal;
  /** @default waitFor */
  readonly wait?: Wait;
}

/**
 * Shows the progress of batches until they have ended, also across restarts of the daemon.
 * @throws {DaemonError} the daemon stays unreachable; the signal's reason if it is aborted
 */
export async function followBatches(
  daemon: DaemonClient,
  batches: readonly BatchEntry[],
  { name, apiKey, terminal, signal, wait = waitFor }: FollowOptions,
): Promise<readonly BatchEntry[]> {
  const progress = new BatchProgress(name, terminal.stderr);
  const meter = new TokenMeter({ url: daemon.url, apiKey });
  let current = batches;
  let failedPolls = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      if (current.every(hasEnded)) return current;
      progress.show(sumCounts(current), await meter.read());
      await wait(POLL_INTERVAL_MS, signal);
      signal.throwIfAborted();
      try {
        current = await Promise.all(
          current.map((batch) => (hasEnded(batch) ? batch : fetchBatch(daemon, batch.id))),
        );
        failedPolls = 0;
      } catch (error) {
        if (!(error instanceof DaemonError) || !RESTART_CODES.includes(error.code)) throw error;
        if (++failedPolls > MAX_FAILED_POLLS) throw error;
        progress.showState(`waiting for the daemon at ${daemon.url}`);
      }
    }
  } finally {
    progress.end();
  }
}

/** Counts of several batches; the total is 0 until all are known. */
function sumCounts(batches: readonly BatchEntry[]) {
  const counts = batches.map(({ request_counts }) => request_counts);
  const sum = (field: "total" | "completed" | "failed") =>
    counts.reduce((total, one) => total + one[field], 0);
  const isKnown = counts.every(({ total }) => total > 0);
  return { total: isKnown ? sum("total") : 0, completed: sum("completed"), failed: sum("failed") };
}

/** Counts the tokens that a daemon computes, if the key may read its metrics. */
class TokenMeter {
  readonly #source: DaemonAddress;
  #last: Scrape | undefined;
  #tokens = 0;
  #isAllowed = true;

  constructor(source: DaemonAddress) {
    this.#source = source;
  }

  /** @returns the tokens since the first call; `undefined` if they are unknown */
  async read(): Promise<number | undefined> {
    if (!this.#isAllowed) return undefined;
    const reading = await readMetrics(this.#source);
    if (reading.type === "failure") {
      // Later failures are those of a restart.
      this.#isAllowed = this.#last !== undefined;
      return undefined;
    }
    const { scrape } = reading;
    for (const name of TOKEN_METRICS) {
      this.#tokens += computeGrowth(this.#last?.samples, scrape.samples, name) ?? 0;
    }
    this.#last = scrape;
    return this.#tokens;
  }
}
