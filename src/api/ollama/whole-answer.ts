import type { ChoiceEvent } from "../../core/generation-event.js";
import { collectAnswer } from "../answers/collected-answer.js";
import type { ToFields } from "./answer-fields.js";
import { type AnswerOrigin, endFrame } from "./answer-frame.js";
import { toLazyLogprobs } from "./logprobs.js";
import type { ResponseFrame } from "./response-schema.js";

/** A frame whose log-probabilities are printed one by one. */
interface WholeFrame extends Omit<ResponseFrame, "logprobs"> {
  readonly logprobs?: ReturnType<typeof toLazyLogprobs>;
}

/**
 * Collects a generation into one answer.
 * @returns `undefined` when the client disconnected
 * @throws {GgufdError} the error that ended the generation
 */
export async function toWholeAnswer<Fields extends object>(
  events: AsyncIterable<ChoiceEvent>,
  origin: AnswerOrigin,
  toFields: ToFields<Fields>,
): Promise<(WholeFrame & Fields) | undefined> {
  const whole = await collectAnswer(events);
  if (whole === undefined) return undefined;
  const { text, reasoning, calls, scores } = whole.answer;
  return {
    ...endFrame(origin, whole.finished),
    ...toFields({ text, reasoning, calls }),
    ...(scores && { logprobs: toLazyLogprobs(scores) }),
  };
}
