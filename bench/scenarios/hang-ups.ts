import type { ServerMemory } from "../servers/process-memory.js";
import { sum } from "../statistics.js";
import { wallMeasure } from "./common-measures.js";
import { comparableModel } from "./comparable-answers.js";
import {
  hangUpSizes,
  type Round,
  runRound,
  settle,
  WRITE_TIMEOUT_SECONDS,
} from "./hang-ups-round.js";
import { knownAnswers } from "./known-answers.js";
import { wallSeconds } from "./reductions.js";
import type { Scenario } from "./scenario.js";
import { smallCacheFlags } from "./small-cache.js";
import { peakGrowthBytes, totalBytes, watchMemory } from "./watch-memory.js";

/**
 * Clients that hang up at random moments or never read: the remaining state of the server, and the
 * answers of the other clients.
 */
export const hangUps: Scenario = {
  name: "hang-ups",
  description:
    "1,000 streams, 500 of which are closed at random and 100 never read: leaked resources",
  comparison: {
    kind: "alone",
    flags: [
      // All requests arrive at once, and the last one waits for as long as all others take.
      ...["--max-queue", "2000", "--queue-timeout", "0"],
      ...["--write-timeout", String(WRITE_TIMEOUT_SECONDS)],
      ...smallCacheFlags,
    ],
  },
  // A deaf client's answer must be longer than the socket buffers.
  defaults: {
    full: { model: comparableModel, clients: [1000], slots: 8, contextSize: 2048 },
    quick: { model: comparableModel, clients: [40], slots: 4, contextSize: 512 },
  },
  measures: {
    wrong: { label: "survivors' answers that differ", unit: "", better: "lower" },
    failed: { label: "survivors that failed", unit: "", better: "lower" },
    survived: { label: "survivors", unit: "", better: "higher" },
    unstable: { label: "requests without a known answer", unit: "", better: "lower" },
    slotsHeld: { label: "answers still open", unit: "", better: "lower" },
    deafHeld: { label: "deaf connections still held", unit: "", better: "lower" },
    descriptors: { label: "descriptors left", unit: "", better: "lower" },
    growthFirst: { label: "memory growth, first round", unit: "MB", better: "lower" },
    growthLast: { label: "memory growth, last round", unit: "MB", better: "lower" },
    peak: { label: "memory peak over idle", unit: "MB", better: "lower" },
    wall: wallMeasure,
  },
  targets: [
    ...(["wrong", "failed", "slotsHeld", "deafHeld", "descriptors"] as const).map(
      (measure) => ({ measure, of: "ours", atMost: 0 }) as const,
    ),
    { measure: "growthLast", of: "ours", atMost: 10 },
  ],
  async run(load) {
    const { effort, prompts, memory, processes, recordSample, signal } = load;
    const { prompts: count, promptTokens, maxTokens, memoryMs } = hangUpSizes[effort];
    const { known, unstable } = await knownAnswers(
      { ...load, clients: Math.min(count, load.clients) },
      Array.from({ length: count }, (_, number) => ({
        messages: [{ role: "user" as const, content: prompts.text(String(number), promptTokens) }],
        maxTokens,
      })),
    );
    await settle(load);
    const before = processes().descriptors;
    const readings: ServerMemory[] = [memory()];
    const peaks: number[] = [];
    const rounds: Round[] = [];
    for (let number = 0; number < hangUpSizes[effort].rounds; number++) {
      const stop = new AbortController();
      const watched = watchMemory(memory, memoryMs, stop.signal);
      const round = await runRound(load, { number, known, descriptors: before }).finally(() =>
        stop.abort(),
      );
      rounds.push(round);
      peaks.push(peakGrowthBytes(await watched));
      readings.push(memory());
      const { slotsHeld, deafHeld } = round;
      recordSample({
        round: number + 1,
        "answers open": slotsHeld,
        "deaf connections": deafHeld,
        descriptors: processes().descriptors,
        MB: totalBytes(memory()) / 1e6,
      });
    }
    signal.throwIfAborted();
    return {
      ...hangUpMeasures(rounds, unstable),
      descriptors: Math.max(0, processes().descriptors - before),
      ...growthOf(readings),
      peak: Math.max(...peaks) / 1e6,
      wall: wallSeconds(rounds.flatMap(({ survivors }) => survivors.map(({ record }) => record))),
    };
  },
};

/** Measures of the answers and connections of all rounds. */
export function hangUpMeasures(rounds: readonly Round[], unstable: number) {
  const survivors = rounds.flatMap((round) => round.survivors);
  const answered = survivors.filter(({ record }) => record.error === undefined);
  return {
    wrong: answered.filter(({ known, record }) => record.text !== known.text).length,
    failed: survivors.length - answered.length,
    survived: survivors.length,
    unstable,
    slotsHeld: sum(rounds.map((round) => round.slotsHeld)),
    deafHeld: sum(rounds.map((round) => round.deafHeld)),
  };
}

function growthOf(readings: readonly ServerMemory[]) {
  const growths = readings
    .map((reading, index) => totalBytes(reading) - totalBytes(readings[index - 1] ?? reading))
    .slice(1);
  return {
    growthFirst: (growths[0] ?? Number.NaN) / 1e6,
    growthLast: (growths.at(-1) ?? Number.NaN) / 1e6,
  };
}
