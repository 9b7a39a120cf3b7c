/** Errors of the store and of bodies, as both descriptions of the to-do items show them. */
import { GgufdError } from "../../core/errors.js";
import { brokenJson, wrongMediaType } from "../description/example-errors.js";

export const unknownId = new GgufdError("not_found", "No todo has the id 2.");

/** What any request that may have a body is answered. */
export const bodyErrors = [
  brokenJson,
  new GgufdError("payload_too_large", "body: expected at most 131072 bytes, got more."),
  wrongMediaType,
];

/** What any change is answered when it cannot be kept. */
export const storeErrors = [
  new GgufdError(
    "too_many_changes",
    "Expected at most 10000 changes to wait for the disk, got one more.",
    {
      retryAfterSeconds: 1,
    },
  ),
  new GgufdError(
    "storage_unavailable",
    "The change could not be stored: its place cannot be written to.",
    { retryAfterSeconds: 5 },
  ),
  new GgufdError("shutting_down", "The server is shutting down.", { retryAfterSeconds: 5 }),
  new GgufdError("storage_full", "The change could not be stored: the disk is full."),
];
