import type { GgufdError } from "../../../core/errors.js";
import type { ChoiceEvent } from "../../../core/generation-event.js";
import type { ResponseEvent } from "./event-schema.js";
import type { ResponsePrinter } from "./response-printer.js";
import type { ResponseObject } from "./response-schema.js";

export interface AnswerHooks {
  /** Called when the response has ended, before clients hear of it: they may go on with it at once. */
  readonly onEnded: () => void;
  /** Called with an error that becomes a part of the response. */
  readonly onFailed: (error: GgufdError) => void;
}

/**
 * The events of a response that is generated while its client waits; none for a client that has
 * disconnected.
 * @throws {GgufdError} the error that ended the generation before its first event
 */
export async function* toResponseEvents(
  events: AsyncIterable<ChoiceEvent>,
  printer: ResponsePrinter,
  { onEnded, onFailed }: AnswerHooks,
): AsyncGenerator<ResponseEvent, void> {
  let hasBegun = false;
  for await (const { event } of events) {
    if (event.type === "cancelled") return;
    if (event.type === "failed" && !hasBegun) throw event.error;
    hasBegun = true;
    const printed = printer.print(event);
    if (event.type === "failed") onFailed(event.error);
    if (event.type === "failed" || event.type === "finished") onEnded();
    yield* printed;
  }
}

/**
 * A response that is answered as a whole.
 * @returns `undefined` when the client disconnected
 * @throws {GgufdError} the error that ended the generation
 */
export async function toResponse(
  events: AsyncIterable<ChoiceEvent>,
  printer: ResponsePrinter,
  { onEnded }: Pick<AnswerHooks, "onEnded">,
): Promise<ResponseObject | undefined> {
  for await (const { event } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return undefined;
    printer.print(event);
  }
  onEnded();
  return printer.response;
}
