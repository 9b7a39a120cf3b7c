/** Answer of a route to a line. */
export interface LineAnswer {
  readonly status: number;
  readonly requestId: string;
  /** JSON text. */
  readonly body: string;
  /** Value of `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Whether the server says that a retry cannot succeed. */
  readonly isFinal?: boolean;
}

export type RetryDecision =
  | { readonly type: "final" }
  | {
      readonly type: "retry";
      readonly after: "refusal" | "server-error";
      /** Time until the next request of the same key to the same model. */
      readonly pauseMs: number;
    };

/** Overload, rate limits, models that load or restart; 529 is Anthropic's status for overload. */
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([429, 503, 529]);

const MIN_SERVER_ERROR = 500;
const MAX_ATTEMPTS_AFTER_ERRORS = 3;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;

/**
 * Decides whether a line is repeated. Temporary refusals are repeated until the batch expires,
 * other server errors twice. All other answers are final.
 * @param attempts of this line that ended with a server error, including this answer if it is one
 * @param refusals temporary refusals in a row of this key's requests to the model, this one included
 */
export function decideRetry(
  { status, retryAfterSeconds = 0, isFinal = false }: LineAnswer,
  { attempts, refusals }: { readonly attempts: number; readonly refusals: number },
): RetryDecision {
  const isTemporary = TEMPORARY_STATUSES.has(status);
  // A client does not wait for the renewal of a budget, but a batch does.
  if (isFinal && !isTemporary) return { type: "final" };
  const isServerError = status >= MIN_SERVER_ERROR && status !== 504 && status !== 507;
  if (!isTemporary && (!isServerError || attempts >= MAX_ATTEMPTS_AFTER_ERRORS)) {
    return { type: "final" };
  }
  const doublings = Math.max(0, (isTemporary ? refusals : attempts) - 1);
  const backoffMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(doublings, 10));
  return {
    type: "retry",
    after: isTemporary ? "refusal" : "server-error",
    // Limits and budgets may be raised before they are renewed.
    pauseMs: Math.min(MAX_PAUSE_MS, Math.max(backoffMs, retryAfterSeconds * 1000)),
  };
}
