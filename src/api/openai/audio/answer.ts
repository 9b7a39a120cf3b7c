import { z } from "zod";
import type { TokenUsage } from "../../../core/generation-event.js";
import type { AudioRequest } from "./request.js";
import type { AudioTask } from "./translate.js";
import { readWavDuration } from "./wav-duration.js";

const count = (description: string) => z.int().nonnegative().meta({ description });

/** OpenAI's usage of audio, with llama-server's count of cached tokens. */
export const audioUsage = z
  .object({
    type: z.literal("tokens"),
    input_tokens: count("Tokens of the whole prompt, including the audio."),
    output_tokens: count("All sampled tokens, including the end-of-generation token."),
    total_tokens: count("Prompt and completion tokens together."),
    input_tokens_details: z.object({
      cached_tokens: count("Prompt tokens read from the cache."),
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
      description: "Language of the request, or empty. `english` for translations.",
    }),
    duration: z.number().nonnegative().meta({
      description: "Duration of a WAV file in seconds, from its header. 0: unknown.",
    }),
    text: z.string(),
    segments: z
      .array(z.never())
      .meta({ description: "Always empty: models return no timestamps." }),
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
    duration: readWavDuration(file.bytes) ?? 0,
    text,
    segments: [],
  };
}
