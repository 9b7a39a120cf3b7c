import { z } from "zod";
import {
  type GenerationRequest,
  MAX_PRIORITY,
  type ProgressReporting,
} from "../../core/generation-request.js";
import { integerBetween, trueOrFalse } from "../../validation/fields.js";
import { allowNullWhereOptional } from "./nulls.js";

/** vLLM's `priority`. Returns a new schema instance on each call. */
export const priorityField = () =>
  integerBetween(-MAX_PRIORITY, MAX_PRIORITY).optional().meta({
    description:
      "Priority in the queue: smaller numbers are served first. Each step counts as much as one second of waiting. Values above 0 also let other callers' requests go first, for that many seconds. Default: 0.",
  });

/** llama-server's `cache_prompt`. Returns a new schema instance on each call. */
export const cachePromptField = () =>
  trueOrFalse().optional().meta({
    description:
      "Whether cached prompt tokens are reused. With `false`, the whole prompt is evaluated, and equal requests with a seed get equal answers while nothing else runs. Default: `true`.",
  });

/** Translates `cache_prompt` to an evaluation mode. */
export function toEvaluation(cachePrompt: boolean | undefined): GenerationRequest["evaluation"] {
  return cachePrompt === false ? "anew" : undefined;
}

/**
 * OpenAI's `stream_options`. Returns a new schema instance on each call, because a description
 * belongs to one schema.
 */
export const streamOptions = () =>
  z
    .looseObject(
      {
        include_usage: trueOrFalse()
          .optional()
          .meta({ description: "Whether a final chunk reports the usage." }),
        continuous_usage_stats: trueOrFalse()
          .optional()
          .meta({ description: "Whether every chunk reports the usage." }),
      },
      { error: "expected an object" },
    )
    .optional()
    .meta({ override: allowNullWhereOptional });

/** Placement of the usage in a stream: none, in an additional last chunk, or in every chunk. */
export type UsageReporting = "none" | "at-end" | "continuous";

/** Reads the placement of the usage from `stream_options`. */
export function toUsageReporting({
  stream_options: options,
}: {
  readonly stream_options?: z.output<ReturnType<typeof streamOptions>>;
}): UsageReporting {
  if (options?.continuous_usage_stats) return "continuous";
  return options?.include_usage ? "at-end" : "none";
}

/**
 * llama-server's fields for timings and prompt progress in streams. Returns new schema instances on
 * each call.
 */
export const progressFields = () => ({
  timings_per_token: trueOrFalse().optional().meta({
    description: "Whether every chunk of a stream reports the timings so far.",
  }),
  return_progress: trueOrFalse().optional().meta({
    description: "Whether a stream reports the progress of prompt evaluation first.",
  }),
});

type ProgressFields = z.output<z.ZodObject<ReturnType<typeof progressFields>>> & {
  readonly stream?: boolean | undefined;
};

/** @returns `undefined`: no reports, as for every response that is not streamed */
export function toProgressReporting(body: ProgressFields): ProgressReporting | undefined {
  const { stream = false, timings_per_token = false, return_progress = false } = body;
  if (!stream || !(timings_per_token || return_progress)) return undefined;
  return {
    ...(return_progress && { prompt: "with-each-slice" }),
    ...(timings_per_token && { timings: "with-each-text" }),
  };
}
