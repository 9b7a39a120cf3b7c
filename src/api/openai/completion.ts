import type { ChoiceEvent } from "../../core/generation-event.js";
import { collectAnswers } from "../answers/collect-answer.js";
import type { CallReporting } from "./call-reporting.js";
import { type CompletionIdentity, headOf } from "./completion-identity.js";
import type { Completion } from "./response-schema.js";
import { toChoice, type WholeChoice } from "./to-choice.js";
import { toTimings, toUsage } from "./usage.js";

interface WholeCompletion extends Omit<Completion, "choices"> {
  readonly choices: readonly WholeChoice[];
}

/**
 * Collects the generations of a request into one completion.
 * @returns `undefined` when the client disconnected.
 * @throws {GgufdError} the error that ended a generation.
 */
export async function toCompletion(
  events: AsyncIterable<ChoiceEvent>,
  identity: CompletionIdentity,
  calls: CallReporting,
): Promise<WholeCompletion | undefined> {
  const whole = await collectAnswers(events);
  if (whole === undefined) return undefined;
  const finished = whole.map((one) => one.finished);
  return {
    ...headOf(identity, "chat.completion"),
    choices: whole.map(({ answer, finished: { reason } }, index) =>
      toChoice(answer, index, reason, calls),
    ),
    usage: toUsage(finished.map(({ usage }) => usage)),
    timings: toTimings(finished),
  };
}
