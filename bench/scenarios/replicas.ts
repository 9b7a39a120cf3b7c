import type { ChatRequest, Message } from "../client/chat-request.js";
import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import type { PromptWriter } from "../prompts/prompt-writer.js";
import { sum } from "../statistics.js";
import { failures } from "./batch-measures.js";
import { outputRateMeasure } from "./common-measures.js";
import { latencyMeasures, latencyValues } from "./latency.js";
import { messagesOf } from "./multi-turn.js";
import {
  evaluatedTokens,
  interTokenLatenciesMs,
  outputRate,
  succeeded,
  timesToFirstTokenMs,
} from "./reductions.js";
import type { Scenario } from "./scenario.js";

/** Engines among which slots and threads are divided. */
const REPLICAS = 2;
/** Several per client, so that a conversation loses its slot before its next turn. */
const CONVERSATIONS_PER_CLIENT = 5;

const sizes = {
  full: { systemPrompts: 20, systemTokens: 250, turns: 4, turnTokens: 80, maxTokens: 48 },
  quick: { systemPrompts: 3, systemTokens: 40, turns: 2, turnTokens: 16, maxTokens: 8 },
} as const;

type Sizes = (typeof sizes)[keyof typeof sizes];

/** Conversations with shared system prompts on two engines of one thread, or one of two. */
export const replicas: Scenario = {
  name: "replicas",
  description: "conversations with 20 system prompts on two replicas, against one engine",
  comparison: { kind: "replicas", count: REPLICAS },
  defaults: {
    full: { model: "15m+gpt-2", clients: [16], slots: 16, contextSize: 1024 },
    quick: { model: "tiny", clients: [4], slots: 4, contextSize: 512 },
  },
  measures: {
    outputRate: outputRateMeasure,
    ...latencyMeasures("ttft", "TTFT"),
    ...latencyMeasures("itl", "ITL"),
    hitRate: { label: "prompt tokens from the cache", unit: "%", better: "higher" },
    failed: { label: "failed requests", unit: "", better: "lower" },
  },
  targets: [
    { measure: "outputRate", clients: 16, of: "ratio", atLeast: 1.25 },
    { measure: "ttftP99", clients: 16, of: "ratio", atMost: 0.8 },
    { measure: "hitRate", clients: 16, of: "ratio", atLeast: 0.95 },
    { measure: "failed", of: "ours", atMost: 0 },
  ],
  async run({ clients, effort, prompts, complete }) {
    const size = sizes[effort];
    const conversations = clients * CONVERSATIONS_PER_CLIENT;
    const records = await inParallel(conversations * size.turns, clients, (number) => {
      const conversation = number % conversations;
      const turn = Math.floor(number / conversations);
      return complete(buildRequest({ conversation, turn }, prompts, size));
    });
    return replicasMeasures(records);
  },
};

/**
 * Builds the request of a turn. A conversation has one of the system prompts at random. Answers are
 * sampled, because speculation would send the repetitions of greedy decoding in bursts.
 */
export function buildRequest(
  turn: Parameters<typeof messagesOf>[0],
  prompts: PromptWriter,
  { systemPrompts, systemTokens, turnTokens, maxTokens }: Sizes,
): ChatRequest {
  const chosen = prompts.random(`system of ${turn.conversation}`).int(1, systemPrompts);
  const system: Message = {
    role: "system",
    content: prompts.text(`system ${chosen}`, systemTokens),
  };
  return {
    messages: [system, ...messagesOf(turn, prompts, turnTokens)],
    maxTokens,
    sampling: { temperature: 1, seed: 1 },
  };
}

/** Measures of one run. */
export function replicasMeasures(records: readonly RequestRecord[]) {
  const promptTokens = sum(succeeded(records).map(({ tokens }) => tokens?.prompt ?? 0));
  return {
    outputRate: outputRate(records),
    ...latencyValues("ttft", timesToFirstTokenMs(records)),
    ...latencyValues("itl", interTokenLatenciesMs(records)),
    hitRate: 100 * (1 - evaluatedTokens(records) / promptTokens),
    failed: failures(records),
  };
}
