import { z } from "zod";
import type { ChoiceEvent } from "../../../core/generation-event.js";
import { openAiError } from "../../fields/error-envelope.js";
import { audioUsage, toAudioUsage } from "./answer.js";

const transcriptDelta = z
  .object({ type: z.literal("transcript.text.delta"), delta: z.string() })
  .meta({ id: "TranscriptTextDelta", description: "The next part of the text." });

const transcriptDone = z
  .object({ type: z.literal("transcript.text.done"), text: z.string(), usage: audioUsage })
  .meta({ id: "TranscriptTextDone", description: "The whole text." });

export type TranscriptEvent = z.infer<typeof transcriptDelta> | z.infer<typeof transcriptDone>;

/** Data of a stream event: a delta, the complete text, or the error that ends the stream. */
export const transcriptEvent = z
  .union([transcriptDelta, transcriptDone, openAiError])
  .meta({ id: "TranscriptEvent" });

/**
 * Yields the events of a streamed transcription.
 * @throws {GgufdError} the error that ended the generation
 */
export async function* toTranscriptEvents(
  events: AsyncIterable<ChoiceEvent>,
): AsyncGenerator<TranscriptEvent, void> {
  let text = "";
  for await (const { event } of events) {
    switch (event.type) {
      case "failed":
        throw event.error;
      case "cancelled":
        return;
      case "text-delta":
        text += event.text;
        yield { type: "transcript.text.delta", delta: event.text };
        break;
      case "finished":
        yield { type: "transcript.text.done", text, usage: toAudioUsage(event.usage) };
    }
  }
}
