import { GgufdError } from "../core/errors.js";

/** The error of what is aborted at shutdown. */
export function shuttingDown(): GgufdError {
  const options = { retryAfterSeconds: 5 };
  return new GgufdError("shutting_down", "The server is shutting down.", options);
}
