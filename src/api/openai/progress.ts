import type { z } from "zod";
import type { GenerationEvent } from "../../core/generation-event.js";
import type { ProgressReporting } from "../../core/generation-request.js";
import { trueOrFalse } from "../../validation/fields.js";
import type { AnswerEvent } from "../answers/collected-answer.js";
import type { PromptProgress, Timings } from "./response-schema.js";
import { toTimings } from "./usage.js";

/** llama-server's fields for what streams tell beside what is generated. Made anew for each request. */
export const progressFields = () => ({
  timings_per_token: trueOrFalse().optional().meta({
    description: "true: each piece of a stream has the timings so far.",
  }),
  return_progress: trueOrFalse().optional().meta({
    description: "true: a stream begins with how far the prompt is evaluated.",
  }),
});

type ProgressFields = z.output<z.ZodObject<ReturnType<typeof progressFields>>> & {
  readonly stream?: boolean | undefined;
};

/** @returns `undefined`: nothing is to be told, as of an answer that is not streamed */
export function toProgressReporting(body: ProgressFields): ProgressReporting | undefined {
  const { stream = false, timings_per_token = false, return_progress = false } = body;
  if (!stream || !(timings_per_token || return_progress)) return undefined;
  return {
    ...(return_progress && { prompt: "with-each-slice" }),
    ...(timings_per_token && { timings: "with-each-text" }),
  };
}

type PromptProgressEvent = Extract<GenerationEvent, { type: "prompt-progress" }>;

export function toPromptProgress({
  processedTokens,
  elapsedMs,
  usage,
}: PromptProgressEvent): PromptProgress {
  return {
    total: usage.promptTokens,
    cache: usage.cachedTokens,
    processed: processedTokens,
    time_ms: elapsedMs,
  };
}

/** The timings of a piece of text, if they were asked for. */
export function toInterimTimings(event: AnswerEvent): { readonly timings?: Timings } {
  if (event.type !== "text-delta" || event.timings === undefined) return {};
  return { timings: toTimings([{ timings: event.timings, usage: event.usage }]) };
}
