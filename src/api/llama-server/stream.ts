import { z } from "zod";
import type { ChoiceEvent, TokenUsage } from "../../core/generation-event.js";
import { promptProgress, timings, toInterimTimings, toPromptProgress } from "../fields/usage.js";
import {
  type AnswerOrigin,
  buildContent,
  buildEnd,
  contentFields,
  countFields,
  createProbabilityPrinter,
  type NativeCompletion,
} from "./answer.js";

/** Event of a stream before the last one of its answer. */
export const nativePiece = z
  .object({
    ...contentFields,
    ...countFields,
    stop: z.literal(false),
    timings: timings.optional().meta({ description: "Present with `timings_per_token`." }),
    prompt_progress: promptProgress.optional().meta({
      description:
        "Progress of prompt evaluation, with `return_progress`. The event has no other content.",
    }),
  })
  .meta({ id: "NativePiece" });

type NativePiece = z.infer<typeof nativePiece>;

/**
 * Yields the events of a stream: pieces of the answers as they are generated, and an end without
 * content for each answer.
 * @throws {GgufdError} the error that ended a generation
 */
export async function* toNativePieces(
  events: AsyncIterable<ChoiceEvent>,
  origin: AnswerOrigin,
): AsyncGenerator<NativePiece | NativeCompletion, void> {
  const printProbability = createProbabilityPrinter(origin);
  const texts = new Map<number, string>();
  for await (const { choice: index, event, tokens = [] } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return;
    const previousText = texts.get(index) ?? "";
    if (event.type === "finished") {
      yield {
        ...buildContent(index, "", tokens),
        ...(await buildEnd(index, event, previousText, origin)),
      };
    } else if (event.type === "text-delta") {
      texts.set(index, previousText + event.text);
      yield {
        ...buildContent(index, event.text, tokens),
        ...(event.scores && { completion_probabilities: event.scores.map(printProbability) }),
        ...countsOf(event),
        ...toInterimTimings(event),
      };
    } else if (event.type === "prompt-progress") {
      yield {
        ...buildContent(index, "", tokens),
        ...countsOf(event),
        ...toInterimTimings(event),
        prompt_progress: toPromptProgress(event),
      };
    }
  }
}

function countsOf({ usage }: { readonly usage: TokenUsage }) {
  return {
    stop: false,
    tokens_predicted: usage.completionTokens,
    tokens_evaluated: usage.promptTokens,
  } as const;
}
