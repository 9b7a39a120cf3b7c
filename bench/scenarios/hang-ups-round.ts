import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../models/random/random-choices.js";
import { sendDeafly } from "../client/deaf-request.js";
import { openAnswers } from "../client/metrics-page.js";
import type { RequestRecord } from "../client/request-record.js";
import { waitUntil } from "../client/wait-until.js";
import { servedModel } from "../servers/served-models.js";
import type { KnownAnswer } from "./known-answers.js";
import type { Effort, Load } from "./scenario.js";

/** Of the streams; the others are read to their end. */
const HANG_UP_SHARE = 0.5;
const DEAF_SHARE = 0.1;
/** After which the server gives up a client that does not read. */
export const WRITE_TIMEOUT_SECONDS = 5;
/** Tokens of a slot that are not a deaf client's answer. */
const DEAF_PROMPT_TOKENS = 64;
/** Opening all streams at once would block the client's event loop. */
const STREAMS_PER_BURST = 20;
const BURST_INTERVAL_MS = 5;

interface Sizes {
  /** Memory that the first ones take for good is no leak; what the last one takes may be one. */
  readonly rounds: number;
  /** Requests with known answers, at most. */
  readonly prompts: number;
  readonly promptTokens: number;
  readonly maxTokens: number;
  /** The latest time at which a waiting client hangs up. */
  readonly hangUpMs: number;
  /** How long the server may take to end what nobody wants any more. */
  readonly endMs: number;
  /** How long connections that ended may take to be closed. */
  readonly settleMs: number;
  /** How long it may take to give up clients that do not read. */
  readonly deafMs: number;
  /** Between two readings of the memory. */
  readonly memoryMs: number;
}

/** How much there is of everything. */
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

/** An answer that was read to its end. */
export interface Survivor {
  readonly known: KnownAnswer;
  readonly record: RequestRecord;
}

/** What one round left behind. */
export interface Round {
  readonly survivors: readonly Survivor[];
  /** Answers that the server computed, or kept waiting, when nobody wanted one any more. */
  readonly slotsHeld: number;
  /** Connections that the server held although their clients had not read for long. */
  readonly deafHeld: number;
}

type Role = "deaf" | "hangs up" | "survives";

/** So many clients of each kind, in random order. */
export function rolesOf(clients: number, random: Random): Role[] {
  const deaf = Math.round(DEAF_SHARE * clients);
  const hangingUp = Math.round(HANG_UP_SHARE * clients);
  const roles = Array.from({ length: clients }, (_, index): Role => {
    if (index < deaf) return "deaf";
    return index < deaf + hangingUp ? "hangs up" : "survives";
  });
  return random.sample(roles, clients);
}

/** What a round needs to know. */
export interface RoundPlan {
  readonly number: number;
  readonly known: readonly KnownAnswer[];
  /** Of the idle server. */
  readonly descriptors: number;
}

/** Sends all requests of a round, waits for those that survive, and looks what is left. */
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
            // Some kilobytes for each token.
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
  // The daemon lets them go one after the other as they reach their limit.
  const heldNow = () => Math.max(0, processes().descriptors - descriptors);
  await waitUntil(async () => heldNow() === 0, deafMs, signal);
  const deafHeld = Math.min(connections.length, heldNow());
  for (const connection of connections) connection.destroy();
  await settle(load, descriptors);
  return { survivors: survived, slotsHeld, deafHeld };
}

/** One that hangs up after a random part of its answer, or at a random time, when most of them wait. */
function hangUp(load: Load, { request }: KnownAnswer, random: Random): Promise<RequestRecord> {
  if (random.chance(0.5)) {
    const afterChunks = random.int(1, Math.max(1, request.maxTokens - 1));
    return load.complete({ ...request, mode: { kind: "cancelled", afterChunks } });
  }
  const by = AbortSignal.timeout(random.int(0, hangUpSizes[load.effort].hangUpMs));
  return load.complete({ ...request, mode: { kind: "stopped", by } });
}

/** Waits until the server computes nothing, and has closed its connections; not for ever. */
export async function settle(
  { baseUrl, effort, processes, signal }: Load,
  descriptors = Number.POSITIVE_INFINITY,
): Promise<void> {
  const isIdle = async () =>
    (await openAnswers(baseUrl, signal)) === 0 && processes().descriptors <= descriptors;
  await waitUntil(isIdle, hangUpSizes[effort].settleMs, signal);
}
