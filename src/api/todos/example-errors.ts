/** Example errors of the store, shared by both to-do descriptions. */
import { GgufdError } from "../../core/errors.js";
import { shuttingDown } from "../../core/shutting-down.js";

export const unknownId = new GgufdError("not_found", "No todo has the id 2.");

/** Errors of every change that cannot be stored durably. */
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
  shuttingDown(),
  new GgufdError("storage_full", "The change could not be stored: the disk is full."),
];
