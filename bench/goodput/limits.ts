import type { RequestRecord } from "../client/request-record.js";

/** Latencies that users notice. */
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
 * Limits as multiples of an idle server's latencies for a request of median length. On a CPU a step
 * of 8 sequences takes three to four times as long as one of a single sequence, a step of 32 nearly
 * ten times: the strict pair allows a small batch and hardly any queueing, the loose pair a batch
 * of some 25 and a few seconds of queueing.
 */
const multiplesOfIdle = {
  strict: { ttft: 10, tpot: 3 },
  loose: { ttft: 40, tpot: 8 },
} as const;

/** Computes the limits for a machine whose idle server has these latencies. */
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
 * Latencies of an answer. An answer without text, whose tokens are an incomplete character, counts
 * its end as its first token; an answer of one token has no time per later token.
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

/** Share of all requests that succeeded within both limits. */
export function attainment(records: readonly RequestRecord[], limits: Latency): number {
  const within = records.filter((record) => {
    const { ttftMs, tpotMs } = latencyOf(record);
    return record.error === undefined && ttftMs <= limits.ttftMs && tpotMs <= limits.tpotMs;
  });
  return within.length / records.length;
}
