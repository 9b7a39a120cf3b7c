import type { ChoiceEvent } from "../../core/generation-event.js";
import { CollectedAnswer, type FinishedEvent } from "./collected-answer.js";

export interface WholeAnswer {
  readonly answer: CollectedAnswer;
  readonly finished: FinishedEvent;
}

/**
 * Collects the events of all choices of a request.
 * @returns the answers in the order of their choices; `undefined` when the client disconnected
 * @throws {GgufdError} the error that ended a generation
 */
export async function collectAnswers(
  events: AsyncIterable<ChoiceEvent>,
): Promise<readonly WholeAnswer[] | undefined> {
  const collected = new Map<number, CollectedAnswer>();
  const whole: WholeAnswer[] = [];
  for await (const { choice, event, tokens = [] } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return undefined;
    const answer = collected.get(choice) ?? new CollectedAnswer();
    collected.set(choice, answer);
    answer.addTokens(tokens);
    if (event.type === "finished") whole[choice] = { answer, finished: event };
    else answer.add(event);
  }
  return whole;
}

/**
 * Collects the events of a request with one choice.
 * @returns `undefined` when the client disconnected
 * @throws {GgufdError} the error that ended the generation
 */
export async function collectAnswer(
  events: AsyncIterable<ChoiceEvent>,
): Promise<WholeAnswer | undefined> {
  const [whole] = (await collectAnswers(events)) ?? [];
  return whole;
}
