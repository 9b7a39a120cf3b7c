import type { ChoiceEvent } from "../../../core/generation-event.js";
import { collectAnswers } from "../../answers/collect-answer.js";
import type { FinishedEvent } from "../../answers/collected-answer.js";
import { type LazyLogprobs, toLazyLogprobs, toLogprobs } from "../logprobs.js";
import { toEnding } from "./ending.js";
import type { NativeCompletion, NativePiece } from "./response-schema.js";

/** What an answer repeats of its request, and of the model. */
export interface AnswerOrigin {
  /** The alias of the served model. */
  readonly model: string;
  readonly settings: NativeCompletion["generation_settings"];
  /** The text that an answer continues; `undefined`: it is no text. */
  readonly promptOf: (answer: number) => string | undefined;
}

/**
 * Collects the answers to all prompts.
 * @returns `undefined` when the client disconnected
 * @throws {GgufdError} the error that ended a generation
 */
export async function toNativeCompletions(
  events: AsyncIterable<ChoiceEvent>,
  origin: AnswerOrigin,
): Promise<readonly WholeCompletion[] | undefined> {
  const whole = await collectAnswers(events);
  return whole?.map(({ answer: { text, scores }, finished }, index) => ({
    ...contentOf(index, text),
    ...(scores && { completion_probabilities: toLazyLogprobs(scores).content }),
    ...endOf(index, finished, text, origin),
  }));
}

/** An answer whose log-probabilities are printed one by one. */
interface WholeCompletion extends Omit<NativeCompletion, "completion_probabilities"> {
  readonly completion_probabilities?: LazyLogprobs["content"];
}

/**
 * The events of a stream: pieces of the answers as they come, and for each of them an end without content.
 * @throws {GgufdError} the error that ended a generation
 */
export async function* toNativePieces(
  events: AsyncIterable<ChoiceEvent>,
  origin: AnswerOrigin,
): AsyncGenerator<NativePiece | NativeCompletion, void> {
  const texts = new Map<number, string>();
  for await (const { choice: index, event } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return;
    const before = texts.get(index) ?? "";
    if (event.type === "finished") {
      yield { ...contentOf(index, ""), ...endOf(index, event, before, origin) };
    } else if (event.type === "text-delta") {
      texts.set(index, before + event.text);
      const { completionTokens, promptTokens } = event.usage;
      yield {
        ...contentOf(index, event.text),
        ...(event.scores && { completion_probabilities: toLogprobs(event.scores).content }),
        stop: false,
        tokens_predicted: completionTokens,
        tokens_evaluated: promptTokens,
      };
    }
  }
}

function contentOf(index: number, content: string) {
  return { index, content, tokens: [] };
}

function endOf(
  index: number,
  finished: FinishedEvent,
  text: string,
  { model, settings, promptOf }: AnswerOrigin,
) {
  return {
    ...toEnding(finished, text),
    model,
    prompt: promptOf(index),
    generation_settings: settings,
  };
}
