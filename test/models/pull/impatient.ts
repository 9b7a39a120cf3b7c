import { defaultRetryPolicy, type RetryPolicy } from "../../../src/models/pull/retries.js";

/** For sources that answer at once, or never. */
export const impatient: RetryPolicy = {
  ...defaultRetryPolicy,
  maxAttempts: 4,
  minProgressBytes: 1,
  firstDelayMs: 1,
  maxDelayMs: 2,
  maxRetryAfterMs: 2000,
  stallMs: 200,
  headersTimeoutMs: 200,
};
