import { ttftP50Measure } from "./common-measures.js";
import type { Scenario } from "./scenario.js";

const MIB = 2 ** 20;

/** Start of a server, whose first request is the first that it ever gets. */
export const startup: Scenario = {
  name: "startup",
  description: "start of a server until it is ready, and until the first token of its first answer",
  comparison: { kind: "peer" },
  startsCold: true,
  defaults: {
    full: { model: "135m+gpt-2", clients: [1], slots: 4, contextSize: 8192 },
    quick: { model: "tiny", clients: [1], slots: 2, contextSize: 512 },
  },
  measures: {
    ready: { label: "time to ready", unit: "ms", better: "lower" },
    firstToken: { label: "time to first token", unit: "ms", better: "lower" },
    memory: { label: "memory after start", unit: "MiB", better: "lower" },
    ttft: { ...ttftP50Measure, label: "TTFT of the first request" },
  },
  targets: [
    { measure: "ready", of: "ratio", atMost: 1.5 },
    { measure: "firstToken", of: "ratio", atMost: 1.5 },
    { measure: "memory", of: "ratio", atMost: 1 },
  ],
  async run({ readyMs, proportionalMemory, prompts, complete }) {
    const ready = readyMs();
    const memory = proportionalMemory() / MIB;
    const content = prompts.text("first", 16);
    const { startedAtMs, endedAtMs, chunkTimesMs } = await complete({
      messages: [{ role: "user", content }],
      maxTokens: 8,
    });
    const ttft = (chunkTimesMs[0] ?? endedAtMs) - startedAtMs;
    return { ready, firstToken: ready + ttft, memory, ttft };
  },
};
