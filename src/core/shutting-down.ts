import { GgufdError } from "./errors.js";

/** A server that is restarted is back by then. */
const RETRY_AFTER_SECONDS = 5;

/** The error of what is aborted or refused at shutdown. */
export function shuttingDown(): GgufdError {
  return new GgufdError("shutting_down", "The server is shutting down.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
