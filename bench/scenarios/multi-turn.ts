import type { Message } from "../client/chat-request.js";
import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import type { PromptWriter } from "../prompts/prompt-writer.js";
import { sum } from "../statistics.js";
import { ttftP50Measure, ttftP99Measure, wallMeasure } from "./common-measures.js";
import {
  answered,
  evaluatedTokens,
  firstTokenTimes,
  middleAndTail,
  wallSeconds,
} from "./reductions.js";
import type { Scenario } from "./scenario.js";

/** More than the clients, so that a conversation loses its slot before its next turn. */
const CONVERSATIONS_PER_CLIENT = 4;
const TURNS = 4;

const sizes = {
  full: { turnTokens: 100, answerTokens: 32 },
  quick: { turnTokens: 32, answerTokens: 8 },
} as const;

interface Turn {
  readonly conversation: number;
  readonly turn: number;
}

/** Conversations that take turns: each of them comes back when others have had its slot. */
export const multiTurn: Scenario = {
  name: "multi-turn",
  description: "four conversations for each client, four turns each, all in turns",
  comparison: { kind: "peer" },
  defaults: {
    full: { model: "135m+gpt-2", clients: [16], slots: 16, contextSize: 1024 },
    quick: { model: "tiny", clients: [2], slots: 2, contextSize: 512 },
  },
  measures: {
    wall: wallMeasure,
    ttftP50: ttftP50Measure,
    ttftP99: ttftP99Measure,
    evaluatedToIdeal: { label: "prompt evaluated to ideal", unit: "", better: "lower" },
  },
  targets: [
    { measure: "evaluatedToIdeal", clients: 16, of: "ours", atMost: 1.05 },
    { measure: "wall", clients: 16, model: "135m+gpt-2", of: "ratio", atMost: 0.6 },
  ],
  async run({ clients, effort, prompts, ask }) {
    const { turnTokens, answerTokens } = sizes[effort];
    const conversations = clients * CONVERSATIONS_PER_CLIENT;
    const records = await inParallel(conversations * TURNS, clients, (number) => {
      const conversation = number % conversations;
      const turn = Math.floor(number / conversations);
      const messages = messagesOf({ conversation, turn }, prompts, turnTokens);
      return ask({ messages, maxTokens: answerTokens });
    });
    return multiTurnMeasures(records, conversations);
  },
};

/**
 * A conversation until one of its turns. The answers in it are not the server's: then both servers
 * read the same, whatever they said.
 */
export function messagesOf(
  { conversation, turn }: Turn,
  prompts: PromptWriter,
  turnTokens: number,
): Message[] {
  const said = (role: "user" | "assistant", index: number): Message => ({
    role,
    content: prompts.text(`${conversation} ${role} ${index}`, turnTokens / 2),
  });
  const before = Array.from({ length: turn }, (_, index) => [
    said("user", index),
    said("assistant", index),
  ]);
  return [...before.flat(), said("user", turn)];
}

/**
 * What the answers of one run come to. The ideal is to evaluate every token of a conversation once:
 * as many as its last prompt has.
 * @param records in the order of the turns.
 */
export function multiTurnMeasures(records: readonly RequestRecord[], conversations: number) {
  const { p50, p99 } = middleAndTail(firstTokenTimes(records));
  const last = answered(records.slice(-conversations));
  return {
    wall: wallSeconds(records),
    ttftP50: p50,
    ttftP99: p99,
    evaluatedToIdeal: evaluatedTokens(records) / sum(last.map(({ tokens }) => tokens?.prompt ?? 0)),
  };
}
