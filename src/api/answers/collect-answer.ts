import type { ChoiceEvent } from "../../core/generation-event.js";
import { CollectedAnswer, type FinishedEvent } from "./collected-answer.js";

export interface WholeAnswer {
  readonly answer: CollectedAnswer;
  readonly finished: FinishedEvent;
}

/**
 * Collects the events of a request with one choice.
 * @returns `undefined` when the client disconnected
 * @throws {GgufdError} the error that ended the generation
 */
export async function collectAnswer(
  events: AsyncIterable<ChoiceEvent>,
): Promise<WholeAnswer | undefined> {
  const answer = new CollectedAnswer();
  for await (const { event } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return undefined;
    if (event.type === "finished") return { answer, finished: event };
    answer.add(event);
  }
  return undefined;
}
