import type { TokenCounts } from "./request-record.js";

/** Counts of a response that reports none. */
export const noTokens: TokenCounts = {
  ...{ prompt: 0, cached: 0, completion: 0 },
  ...{ drafted: 0, accepted: 0, forced: 0 },
};
