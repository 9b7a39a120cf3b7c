import type { ChoiceEvent } from "../../../core/generation-event.js";
import { collectAnswer } from "../../answers/collect-answer.js";
import type { FinishedEvent } from "../../answers/collected-answer.js";
import { toTimings } from "../usage.js";
import type { InfillAnswer, InfillPiece } from "./schema.js";

/**
 * What fills the gap.
 * @returns `undefined` when the client disconnected
 * @throws {GgufdError} the error that ended the generation
 */
export async function toInfillAnswer(
  events: AsyncIterable<ChoiceEvent>,
  model: string,
): Promise<InfillAnswer | undefined> {
  const whole = await collectAnswer(events);
  if (whole === undefined) return undefined;
  const { text } = whole.answer;
  return answerOf(whole.finished, { model, content: text, whole: text });
}

/**
 * The events of a stream: pieces, and an answer without content.
 * @throws {GgufdError} the error that ended the generation
 */
export async function* toInfillPieces(
  events: AsyncIterable<ChoiceEvent>,
  model: string,
): AsyncGenerator<InfillPiece | InfillAnswer, void> {
  let whole = "";
  for await (const { event } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return;
    if (event.type === "finished") yield answerOf(event, { model, content: "", whole });
    else if (event.type === "text-delta") {
      whole += event.text;
      const { completionTokens, promptTokens } = event.usage;
      yield {
        index: 0,
        content: event.text,
        tokens_predicted: completionTokens,
        tokens_evaluated: promptTokens,
        stop: false,
      };
    }
  }
}

function answerOf(
  finished: FinishedEvent,
  {
    model,
    content,
    whole,
  }: { readonly model: string; readonly content: string; readonly whole: string },
): InfillAnswer {
  const { reason, stopString, usage } = finished;
  return {
    index: 0,
    content,
    tokens_predicted: usage.completionTokens,
    tokens_evaluated: usage.promptTokens,
    stop: true,
    model,
    stop_type: stopString !== undefined ? "word" : reason === "length" ? "limit" : "eos",
    stopping_word: stopString ?? "",
    has_new_line: whole.includes("\n"),
    truncated: false,
    tokens_cached: usage.cachedTokens,
    timings: toTimings([finished]),
  };
}
