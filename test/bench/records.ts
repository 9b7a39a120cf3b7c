import type { RequestRecord, TokenCounts } from "../../bench/client/request-record.js";

/** Token counts that are all 0 but for those given. */
export function counts(given: Partial<TokenCounts>): TokenCounts {
  return { prompt: 0, cached: 0, completion: 0, drafted: 0, accepted: 0, ...given };
}

/** A record of an answer without text but for what is given. */
export function record(given: Partial<RequestRecord> = {}): RequestRecord {
  return {
    startedAt: 0,
    pieceTimes: [],
    endedAt: 0,
    tokens: undefined,
    error: undefined,
    ...given,
  };
}
