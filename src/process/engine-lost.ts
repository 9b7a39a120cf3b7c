import { GgufdError } from "../core/errors.js";

/** Value of `Retry-After` after the loss of the engine. */
const RETRY_AFTER_SECONDS = 2;

/** The error of all requests while no engine is running. */
export function engineLost(): GgufdError {
  return new GgufdError(
    "model_unavailable",
    "The model's process has exited; it is being restarted.",
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
}
