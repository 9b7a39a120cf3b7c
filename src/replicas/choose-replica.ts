import { sumBy } from "../core/sum-by.js";

/** State of a replica that the choice for a request depends on. */
export interface ReplicaLoad {
  readonly index: number;
  /**
   * `open`: it accepts generations. `isolated`: it is reserved for a generation that is suspected of
   * crashing engines. `down`: its engine is not running.
   */
  readonly availability: "open" | "isolated" | "down";
  /** `unsuited`: its context is too small for the request, or it lacks an adapter. */
  readonly suitability: "suited" | "unsuited";
  readonly slots: number;
  /** Generations that run or wait in the replica. */
  readonly generations: number;
  /** Prompt tokens of these generations that are not evaluated yet. */
  readonly pendingTokens: number;
  /** Tokens of the request's prompt that the replica has cached. */
  readonly cachedTokens: number;
  /** Measured time to evaluate a prompt token; `undefined`: not known yet. */
  readonly msPerPromptToken: number | undefined;
  /** Mean time that a generation takes in a slot; `undefined`: not known yet. */
  readonly serviceMs: number | undefined;
  /** Number of the last generation that was placed in the replica; greater is more recent. */
  readonly lastUsed: number;
}

/** Speed assumed before the first measurement of any replica. */
const ASSUMED_MS_PER_PROMPT_TOKEN = 1;
/** Service time assumed before the first measurement of any replica. */
const ASSUMED_SERVICE_MS = 5000;

/**
 * Share of the service time that a generation takes longer in a replica whose slots are full than
 * in an empty one. It spreads shared prefixes over replicas while conversations, whose prefixes are
 * longer, stay.
 */
const CROWDING_SHARE = 0.125;

/** Costs that differ by less are equal: estimates are no more exact. */
const SIGNIFICANT_MS = 1;

/**
 * Chooses the replica in which a generation is expected to have its first token earliest, counting
 * the time to wait for a slot, to evaluate the prompts ahead and the part of its prompt that is not
 * cached, and the slowdown by the generations that run there. Equal replicas: the emptiest, then
 * the least recently used.
 *
 * A generation may wait in a full replica although others have free slots if evaluating its prompt
 * elsewhere takes longer, but only as many as half of the replica's slots.
 * @param promptTokens length of the prompt
 * @returns the index of a replica; `undefined` if none is running
 */
export function chooseReplica(
  promptTokens: number,
  replicas: readonly ReplicaLoad[],
): number | undefined {
  const candidates = listCandidates(replicas).map((replica) => ({
    ...replica,
    costMs: computeCostMs(replica, promptTokens, replicas),
  }));
  const lowestMs = Math.min(...candidates.map(({ costMs }) => costMs));
  return candidates
    .filter(({ costMs }) => costMs < lowestMs + SIGNIFICANT_MS)
    .toSorted((a, b) => a.generations - b.generations || a.lastUsed - b.lastUsed)
    .at(0)?.index;
}

/**
 * Chooses the replica for a generation that may run only alone: the one with the fewest generations,
 * which it has to itself when these have ended. The last running replica is never chosen, because
 * the generation may crash it.
 * @returns the index of a replica; `undefined` if fewer than two are running
 */
export function chooseForSuspect(
  replicas: readonly Pick<ReplicaLoad, "index" | "availability" | "generations">[],
): number | undefined {
  const running = replicas.filter(({ availability }) => availability !== "down");
  if (running.length < 2) return undefined;
  return running.toSorted((a, b) => a.generations - b.generations).at(0)?.index;
}

/** Returns the best replicas that are available; the engine refuses requests that do not suit it. */
function listCandidates(replicas: readonly ReplicaLoad[]): readonly ReplicaLoad[] {
  const running = replicas.filter(({ availability }) => availability !== "down");
  const open = running.filter(({ availability }) => availability === "open");
  const usable = open.length > 0 ? open : running;
  const suited = usable.filter(({ suitability }) => suitability === "suited");
  const able = suited.length > 0 ? suited : usable;
  const withRoom = able.filter(({ generations, slots }) => generations < slots);
  if (withRoom.length === 0) return able;
  return able.filter(({ generations, slots }) => generations < slots + countMaxWaiting(slots));
}

/** Returns how many generations may wait in a replica while others have free slots. */
function countMaxWaiting(slots: number): number {
  return Math.ceil(slots / 2);
}

/** Returns the expected delay of a generation in a replica, in milliseconds. */
function computeCostMs(
  replica: ReplicaLoad,
  promptTokens: number,
  replicas: readonly ReplicaLoad[],
): number {
  const { slots, generations, pendingTokens, cachedTokens } = replica;
  const msPerPromptToken =
    replica.msPerPromptToken ??
    averageOf(replicas.map((one) => one.msPerPromptToken)) ??
    ASSUMED_MS_PER_PROMPT_TOKEN;
  const serviceMs =
    replica.serviceMs ?? averageOf(replicas.map((one) => one.serviceMs)) ?? ASSUMED_SERVICE_MS;
  // With as many generations as slots, one of them ends every `serviceMs / slots` on average.
  const waitMs = (Math.max(0, generations - slots + 1) * serviceMs) / slots;
  const evaluatedTokens = pendingTokens + Math.max(0, promptTokens - cachedTokens);
  const crowdingMs = (CROWDING_SHARE * serviceMs * Math.min(generations, slots)) / slots;
  return waitMs + evaluatedTokens * msPerPromptToken + crowdingMs;
}

function averageOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : sumBy(known, (value) => value) / known.length;
}
