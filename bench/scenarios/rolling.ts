import { EventEmitter, once } from "node:events";
import type { RequestRecord } from "../client/request-record.js";
import { ttftP50Measure, ttftP99Measure, wallMeasure } from "./common-measures.js";
import { p50AndP99, timesToFirstTokenMs, wallSeconds } from "./reductions.js";
import type { Load, Scenario } from "./scenario.js";

/** Answers per client before the first restart, between two restarts, and after the last one. */
const CALM_ANSWERS = 4;

const sizes = {
  full: { promptTokens: 64, maxTokens: 48, rounds: 3 },
  quick: { promptTokens: 8, maxTokens: 8, rounds: 1 },
} as const;

/**
 * Every daemon behind a load balancer is restarted, one after another, while clients send requests.
 */
export const rolling: Scenario = {
  name: "rolling",
  description: "two daemons behind HAProxy are restarted alternately, three times each, under load",
  comparison: { kind: "balanced" },
  defaults: {
    full: { model: "shipped", clients: [16], slots: 4, contextSize: 512 },
    quick: { model: "shipped", clients: [4], slots: 2, contextSize: 512 },
  },
  measures: {
    errors: { label: "failed requests", unit: "", better: "lower" },
    requests: { label: "requests", unit: "", better: "higher" },
    ttftP50: ttftP50Measure,
    ttftP99: ttftP99Measure,
    wall: wallMeasure,
  },
  targets: [{ measure: "errors", of: "ours", atMost: 0 }],
  async run(load) {
    const { rounds } = sizes[load.effort];
    const clients = startClients(load);
    const calm = () => clients.answers(CALM_ANSWERS * load.clients);
    await calm();
    for (let round = 0; round < rounds; round++) {
      for (const { name, restart } of load.replicas) {
        const begin = performance.now();
        await restart(load.signal);
        const seconds = Math.round((performance.now() - begin) / 100) / 10;
        load.recordSample({ round: round + 1, daemon: name, "restart s": seconds });
        await calm();
      }
    }
    return rollingMeasures(await clients.stop());
  },
};

/** Measures of one run. */
export function rollingMeasures(records: readonly RequestRecord[]) {
  const { p50, p99 } = p50AndP99(timesToFirstTokenMs(records));
  return {
    errors: records.filter(({ error }) => error !== undefined).length,
    requests: records.length,
    ttftP50: p50,
    ttftP99: p99,
    wall: wallSeconds(records),
  };
}

/**
 * Starts clients that send requests continuously until they are stopped; half of them request
 * streams.
 */
function startClients({ effort, clients, prompts, complete, signal }: Load) {
  const { promptTokens, maxTokens } = sizes[effort];
  const records: RequestRecord[] = [];
  const answered = new EventEmitter();
  const stopped = new AbortController();
  const client = async (number: number) => {
    const mode = { kind: number % 2 === 0 ? "streamed" : "non-streamed" } as const;
    for (let turn = 0; !stopped.signal.aborted && !signal.aborted; turn++) {
      const content = prompts.text(`${number}/${turn}`, promptTokens);
      const messages = [{ role: "user" as const, content }];
      records.push(await complete({ messages, maxTokens, mode }));
      answered.emit("answer");
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  return {
    /** Resolves after this many more answers. */
    async answers(count: number): Promise<void> {
      const target = records.length + count;
      while (records.length < target) await once(answered, "answer", { signal });
    },
    /** Stops the clients and returns the records of all requests. */
    async stop(): Promise<readonly RequestRecord[]> {
      stopped.abort();
      await all;
      return records;
    },
  };
}
