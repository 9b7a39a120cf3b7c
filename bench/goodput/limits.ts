import type { RequestRecord } from "../client/request-record.js";

/** The two latencies that a user notices. */
export interface Latency {
  /** Time to first token. */
  readonly ttftMs: number;
  /** Mean time per output token after the first. */
  readonly tpotMs: number;
}

/** Upper limits on both latencies of a request. */
export interface LimitPair {
  readonly strict: Latency;
  readonly loose: Latency;
}

/**
 * The limits as multiples of what an idle server takes for a request of median length. On a CPU a
 * step of 8 sequences takes three to four times as long as one of a single sequence, a step of 32
 * nearly ten times: the strict pair leaves room for a small batch and hardly any waiting, the loose pair
 * for a batch of some 25 and for waiting a few seconds.
 */
const multiplesOfIdle = {
  strict: { ttft: 10, tpot: 3 },
  loose: { ttft: 40, tpot: 8 },
} as const;

/** The limits on a machine whose idle server has these latencies. */
export function limitsOf({ ttftMs, tpotMs }: Latency): LimitPair {
  const multiplied = ({ ttft, tpot }: { readonly ttft: number; readonly tpot: number }) => ({
    ttftMs: ttft * ttftMs,
    tpotMs: tpot * tpotMs,
  });
  return {
    strict: multiplied(multiplesOfIdle.strict),
    loose: multiplied(multiplesOfIdle.loose),
  };
}

/**
 * The latencies of an answer. One without text, because its tokens are an incomplete character, has
 * its first token at its end; one of a single token has no time per later token.
 */
export function latencyOf({
  startedAtMs,
  chunkTimesMs: [first],
  endedAtMs,
  tokens,
}: RequestRecord): Latency {
  const firstAtMs = first ?? endedAtMs;
  const laterTokens = (tokens?.completion ?? 1) - 1;
  return {
    ttftMs: firstAtMs - startedAtMs,
    tpotMs: laterTokens > 0 ? (endedAtMs - firstAtMs) / laterTokens : 0,
  };
}

/** The share of all requests that succeeded within both limits. */
export function attainment(records: readonly RequestRecord[], limits: Latency): number {
  const within = records.filter((record) => {
    const { ttftMs, tpotMs } = latencyOf(record);
    return record.error === undefined && ttftMs <= limits.ttftMs && tpotMs <= limits.tpotMs;
  });
  return within.length / records.length;
}
