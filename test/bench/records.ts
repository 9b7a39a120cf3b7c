import type { RequestRecord, TokenCounts } from "../../bench/client/request-record.js";

/** Token counts that default to 0. */
export function counts(overrides: Partial<TokenCounts>): TokenCounts {
  return { prompt: 0, cached: 0, completion: 0, drafted: 0, accepted: 0, forced: 0, ...overrides };
}

/** A record that defaults to an answer without text. */
export function record(overrides: Partial<RequestRecord> = {}): RequestRecord {
  return {
    startedAtMs: 0,
    chunkTimesMs: [],
    endedAtMs: 0,
    tokens: undefined,
    text: "",
    finishReason: undefined,
    error: undefined,
    ...overrides,
  };
}
