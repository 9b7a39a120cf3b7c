import type { ChoiceEvent } from "../../../core/generation-event.js";
import { collectAnswer } from "../../answers/collect-answer.js";
import { toEnding } from "../llama-server/ending.js";
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
  return { index: 0, content: text, ...toEnding(whole.finished, text), model };
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
    if (event.type === "finished") {
      yield { index: 0, content: "", ...toEnding(event, whole), model };
    } else if (event.type === "text-delta") {
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
