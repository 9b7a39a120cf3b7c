import { EventEmitter, once } from "node:events";
import type { RequestRecord } from "../client/request-record.js";
import { median } from "../statistics.js";
import { succeeded } from "./reductions.js";
import type { Load, Scenario } from "./scenario.js";

const sizes = {
  full: { noisyRequests: 500, promptTokens: 32, maxTokens: 64 },
  quick: { noisyRequests: 20, promptTokens: 8, maxTokens: 8 },
} as const;

/** Addresses of the two clients; without API keys a server distinguishes callers by address. */
const NOISY = "127.0.0.1";
const QUIET = "127.0.0.2";

/** One client sends hundreds of requests at once, then another client sends a single request. */
export const neighbour: Scenario = {
  name: "neighbour",
  description: "500 requests of one client at once, then 1 of another: its waiting time",
  comparison: { kind: "peer" },
  defaults: {
    full: { model: "15m+gpt-2", clients: [1], slots: 8, contextSize: 512 },
    quick: { model: "tiny", clients: [1], slots: 2, contextSize: 512 },
  },
  measures: {
    toServiceTime: { label: "TTFT to one service time", unit: "", better: "lower" },
    ttft: { label: "TTFT of the other client", unit: "ms", better: "lower" },
    serviceTime: { label: "service time", unit: "ms", better: "lower" },
    errors: { label: "errors", unit: "", better: "lower" },
  },
  targets: [
    { measure: "toServiceTime", of: "ours", atMost: 2 },
    { measure: "errors", of: "ours", atMost: 0 },
  ],
  async run(load) {
    const { noisyRequests } = sizes[load.effort];
    const answered = new EventEmitter();
    const firstAnswer = once(answered, "answer", { signal: load.signal });
    const noisy = Array.from({ length: noisyRequests }, async (_, number) => {
      const record = await ask(load, `noisy ${number}`, NOISY);
      answered.emit("answer");
      return record;
    });
    // All requests have arrived by then. It is the worst moment: the slots have just been assigned
    // to other requests.
    await firstAnswer;
    const other = await ask(load, "other", QUIET);
    return neighbourMeasures(await Promise.all(noisy), other);
  },
};

function ask({ effort, prompts, complete }: Load, name: string, from: string) {
  const { promptTokens, maxTokens } = sizes[effort];
  const content = prompts.text(name, promptTokens);
  return complete({ messages: [{ role: "user", content }], maxTokens, from });
}

/** Measures of one run. */
export function neighbourMeasures(noisy: readonly RequestRecord[], other: RequestRecord) {
  const serviceTime = median(succeeded(noisy).map(serviceTimeMs));
  const [first = other.endedAtMs] = other.chunkTimesMs;
  const ttft = first - other.startedAtMs;
  return {
    toServiceTime: ttft / serviceTime,
    ttft,
    serviceTime,
    errors: [...noisy, other].filter(({ error }) => error !== undefined).length,
  };
}

/** Duration of an answer once it has begun, with its first token counted like the others. */
function serviceTimeMs({ chunkTimesMs, endedAtMs }: RequestRecord): number {
  const [first = endedAtMs] = chunkTimesMs;
  const tokens = chunkTimesMs.length;
  return tokens < 2 ? endedAtMs - first : ((endedAtMs - first) * tokens) / (tokens - 1);
}
