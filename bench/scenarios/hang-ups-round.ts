import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../models/random/random-choices.js";
import { sendDeafly } from "../client/deaf-request.js";
import { openAnswers } from "../client/metrics-page.js";
import type { RequestRecord } from "../client/request-record.js";
import { waitUntil } from "../client/wait-until.js";
import { servedModel } from "../servers/served-models.js";
import type { KnownAnswer } from "./known-answers.js";
import type { Effort, Load } from "./scenario.js";

/** Share of the streams that hang up; the rest, except for deaf clients, are read to their end. */
const HANG_UP_SHARE = 0.5;
const DEAF_SHARE = 0.1;
/** Time after which the server closes the connection of a client that does not read. */
export const WRITE_TIMEOUT_SECONDS = 5;
/** Tokens of a slot reserved for the prompt of a deaf client. */
const DEAF_PROMPT_TOKENS = 64;
/** Streams opened per burst; opening all at once would block the client's event loop. */
const STREAMS_PER_BURST = 20;
const BURST_INTERVAL_MS = 5;

interface Sizes {
  /**
   * Number of rounds; memory that the first one allocates for good is no leak, but growth in the
   * last one may be.
   */
  readonly rounds: number;
  /** Maximum number of requests with known answers. */
  readonly prompts: number;
  readonly promptTokens: number;
  readonly maxTokens: number;
  /** Latest time at which a waiting client hangs up. */
  readonly hangUpMs: number;
  /** Time limit for the server to end abandoned answers. */
  readonly endMs: number;
  /** Time limit for ended connections to be closed. */
  readonly settleMs: number;
  /** Time limit for the server to disconnect clients that do not read. */
  readonly deafMs: number;
  /** Interval between memory readings. */
  readonly memoryMs: number;
}

/** Sizes of full and quick runs. */
export const hangUpSizes: Readonly<Record<Effort, Sizes>> = {
  full: {
    ...{ rounds: 2, prompts: 40, promptTokens: 24, maxTokens: 24, hangUpMs: 20_000 },
    ...{ endMs: 120_000, settleMs: 10_000, deafMs: 3000 * WRITE_TIMEOUT_SECONDS, memoryMs: 500 },
  },
  quick: {
    ...{ rounds: 2, prompts: 6, promptTokens: 8, maxTokens: 8, hangUpMs: 200 },
    ...{ endMs: 20_000, settleMs: 300, deafMs: 500, memoryMs: 20 },
  },
};

/** Answer that was read to its end. */
export interface Survivor {
  readonly known: KnownAnswer;
  readonly record: RequestRecord;
}

/** Remaining state after one round. */
export interface Round {
  readonly survivors: readonly Survivor[];
  /** Answers that the server still computed or queued after all clients had left. */
  readonly slotsHeld: number;
  /** Connections that the server still held although their clients had long stopped reading. */
  readonly deafHeld: number;
}

type Role = "deaf" | "hangs up" | "survives";

/** Assigns a role to each client, in random order. */
export function rolesOf(clients: number, random: Random): Role[] {
  const deaf = Math.round(DEAF_SHARE * clients);
  const hangingUp = Math.round(HANG_UP_SHARE * clients);
  const roles = Array.from({ length: clients }, (_, index): Role => {
    if (index < deaf) return "deaf";
    return index < deaf + hangingUp ? "hangs up" : "survives";
  });
  return random.sample(roles, clients);
}

/** Inputs of a round. */
export interface RoundPlan {
  readonly number: number;
  readonly known: readonly KnownAnswer[];
  /** File descriptors of the idle server. */
  readonly descriptors: number;
}

/** Sends all requests of a round, waits for the survivors, and checks the remaining state. */
export async function runRound(
  load: Load,
  { number, known, descriptors }: RoundPlan,
): Promise<Round> {
  const { baseUrl, effort, contextSize, clients, prompts, processes, signal } = load;
  const { endMs, deafMs } = hangUpSizes[effort];
  const random = prompts.random(`round ${number}`);
  const model = await servedModel(baseUrl);
  const deafConnections: Promise<{ destroy(): void }>[] = [];
  const hangUps: Promise<unknown>[] = [];
  const survivors: Promise<Survivor>[] = [];
  for (const [index, role] of rolesOf(clients, random).entries()) {
    if (index > 0 && index % STREAMS_PER_BURST === 0) await delay(BURST_INTERVAL_MS);
    const answer = random.pick(known);
    switch (role) {
      case "deaf":
        deafConnections.push(
          sendDeafly(baseUrl, "chat/completions", {
            model,
            messages: answer.request.messages,
            max_tokens: contextSize - DEAF_PROMPT_TOKENS,
            ignore_eos: true,
            stream: true,
            // Log probabilities add some kilobytes per token.
            logprobs: true,
            top_logprobs: 20,
          }),
        );
        break;
      case "hangs up":
        hangUps.push(hangUp(load, answer, random));
        break;
      case "survives":
        survivors.push(load.complete(answer.request).then((record) => ({ known: answer, record })));
    }
  }
  const connections = await Promise.all(deafConnections);
  await Promise.all(hangUps);
  const survived = await Promise.all(survivors);
  const isIdle = async () => (await openAnswers(baseUrl, signal)) === 0;
  await waitUntil(isIdle, endMs, signal);
  const slotsHeld = await openAnswers(baseUrl, signal);
  // The daemon closes the connections one by one, as each reaches its limit.
  const heldNow = () => Math.max(0, processes().descriptors - descriptors);
  await waitUntil(async () => heldNow() === 0, deafMs, signal);
  const deafHeld = Math.min(connections.length, heldNow());
  for (const connection of connections) connection.destroy();
  await settle(load, descriptors);
  return { survivors: survived, slotsHeld, deafHeld };
}

/**
 * Hangs up after a random part of the answer, or at a random time, when most clients still wait.
 */
function hangUp(load: Load, { request }: KnownAnswer, random: Random): Promise<RequestRecord> {
  if (random.chance(0.5)) {
    const afterChunks = random.int(1, Math.max(1, request.maxTokens - 1));
    return load.complete({ ...request, mode: { kind: "cancelled", afterChunks } });
  }
  const by = AbortSignal.timeout(random.int(0, hangUpSizes[load.effort].hangUpMs));
  return load.complete({ ...request, mode: { kind: "stopped", by } });
}

/** Waits, up to a limit, until the server computes nothing and has closed its connections. */
export async function settle(
  { baseUrl, effort, processes, signal }: Load,
  descriptors = Number.POSITIVE_INFINITY,
): Promise<void> {
  const isIdle = async () =>
    (await openAnswers(baseUrl, signal)) === 0 && processes().descriptors <= descriptors;
  await waitUntil(isIdle, hangUpSizes[effort].settleMs, signal);
}
