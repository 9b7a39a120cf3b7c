import { z } from "zod";
import type { TokenUsage } from "../../../core/generation-event.js";
import type { AudioRequest } from "./request.js";
import type { AudioTask } from "./translate.js";
import { wavDuration } from "./wav-duration.js";

const count = (description: string) => z.int().nonnegative().meta({ description });

/** OpenAI's usage of audio, with llama-server's count of cached tokens. */
export const audioUsage = z
  .object({
    type: z.literal("tokens"),
    input_tokens: count("Tokens of the whole prompt, those of the audio included."),
    output_tokens: count("Every sampled token, including the end-of-generation token."),
    total_tokens: count("The sum of both."),
    input_tokens_details: z.object({
      cached_tokens: count("Tokens of the prompt that needed no evaluation."),
    }),
  })
  .meta({ id: "AudioUsage" });

/** Response in format `json`. */
export const transcription = z
  .object({ text: z.string(), usage: audioUsage })
  .meta({ id: "Transcription" });

export type Transcription = z.infer<typeof transcription>;

/** Response in format `verbose_json`. */
export const verboseTranscription = z
  .object({
    task: z.enum(["transcribe", "translate"]),
    language: z.string().meta({
      description: "As the request names it; empty: it does not. Of translations: english.",
    }),
    duration: z.number().nonnegative().meta({
      description: "Seconds of a WAV file, by its header; 0: it is not known.",
    }),
    text: z.string(),
    segments: z.array(z.never()).meta({ description: "Empty: models give no timestamps." }),
  })
  .meta({ id: "VerboseTranscription" });

export type VerboseTranscription = z.infer<typeof verboseTranscription>;

export function toAudioUsage(usage: TokenUsage): z.infer<typeof audioUsage> {
  const { promptTokens, cachedTokens, completionTokens } = usage;
  return {
    type: "tokens",
    input_tokens: promptTokens,
    output_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
  };
}

export function toVerboseTranscription(
  text: string,
  task: AudioTask,
  { file, language = "" }: AudioRequest,
): VerboseTranscription {
  return {
    task,
    language: task === "translate" ? "english" : language,
    duration: wavDuration(file.bytes) ?? 0,
    text,
    segments: [],
  };
}
