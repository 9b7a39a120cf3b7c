import type { GgufdError } from "../../../core/errors.js";
import type { ErrorEvent } from "./event-schema.js";

/** An error that is not the response's own, as the last event of a stream. */
export function toErrorEvent(
  { code, message, param }: GgufdError,
  sequenceNumber: number,
): ErrorEvent {
  return { type: "error", sequence_number: sequenceNumber, code, message, param: param ?? null };
}
