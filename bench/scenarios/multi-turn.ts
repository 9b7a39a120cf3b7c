import type { Message } from "../client/chat-request.js";
import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import type { PromptWriter } from "../prompts/prompt-writer.js";
import { sum } from "../statistics.js";
import { wallMeasure } from "./common-measures.js";
import { latencyMeasures, latencyValues } from "./latency.js";
import { evaluatedTokens, succeeded, timesToFirstTokenMs, wallSeconds } from "./reductions.js";
import type { Scenario } from "./scenario.js";

/** Several per client, so that a conversation loses its slot before its next turn. */
const CONVERSATIONS_PER_CLIENT = 4;
const TURNS = 4;

const sizes = {
  full: { turnTokens: 100, maxTokens: 32 },
  quick: { turnTokens: 32, maxTokens: 8 },
} as const;

interface Turn {
  readonly conversation: number;
  readonly turn: number;
}

/** Interleaved conversations: others use a conversation's slot before its next turn. */
export const multiTurn: Scenario = {
  name: "multi-turn",
  description: "four conversations of four turns per client, interleaved",
  comparison: { kind: "peer" },
  defaults: {
    full: { model: "135m+gpt-2", clients: [16], slots: 16, contextSize: 1024 },
    quick: { model: "tiny", clients: [2], slots: 2, contextSize: 512 },
  },
  measures: {
    wall: wallMeasure,
    ...latencyMeasures("ttft", "TTFT"),
    evaluatedToIdeal: { label: "prompt evaluated to ideal", unit: "", better: "lower" },
  },
  targets: [
    { measure: "evaluatedToIdeal", clients: 16, of: "ours", atMost: 1.05 },
    { measure: "wall", clients: 16, model: "135m+gpt-2", of: "ratio", atMost: 0.6 },
  ],
  async run({ clients, effort, prompts, complete }) {
    const { turnTokens, maxTokens } = sizes[effort];
    const conversations = clients * CONVERSATIONS_PER_CLIENT;
    const records = await inParallel(conversations * TURNS, clients, (number) => {
      const conversation = number % conversations;
      const turn = Math.floor(number / conversations);
      const messages = messagesOf({ conversation, turn }, prompts, turnTokens);
      return complete({ messages, maxTokens });
    });
    return multiTurnMeasures(records, conversations);
  },
};

/**
 * Messages of a conversation up to one of its turns. Assistant messages are fixed texts instead of
 * the server's answers, so that both servers receive the same prompts.
 */
export function messagesOf(
  { conversation, turn }: Turn,
  prompts: PromptWriter,
  turnTokens: number,
): Message[] {
  const message = (role: "user" | "assistant", index: number): Message => ({
    role,
    content: prompts.text(`${conversation} ${role} ${index}`, turnTokens / 2),
  });
  const previous = Array.from({ length: turn }, (_, index) => [
    message("user", index),
    message("assistant", index),
  ]);
  return [...previous.flat(), message("user", turn)];
}

/**
 * Measures of one run. Ideally every token of a conversation is evaluated exactly once, i.e. as
 * many tokens as its last prompt has.
 * @param records in the order of the turns
 */
export function multiTurnMeasures(records: readonly RequestRecord[], conversations: number) {
  const last = succeeded(records.slice(-conversations));
  return {
    wall: wallSeconds(records),
    ...latencyValues("ttft", timesToFirstTokenMs(records)),
    evaluatedToIdeal: evaluatedTokens(records) / sum(last.map(({ tokens }) => tokens?.prompt ?? 0)),
  };
}
