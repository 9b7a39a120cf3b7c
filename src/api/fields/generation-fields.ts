import { z } from "zod";
import type { GenerationRequest, ProgressReporting } from "../../core/generation-request.js";
import { integerBetween, trueOrFalse } from "../../validation/fields.js";
import { nullableWhereOptional } from "./nulls.js";

/** In seconds of waiting; a request beyond it would yield for days. */
const MAX_PRIORITY = 1_000_000;

/** vLLM's `priority`. Made anew for each schema. */
export const priorityField = () =>
  integerBetween(-MAX_PRIORITY, MAX_PRIORITY).optional().meta({
    description:
      "Of two waiting requests of one caller, the one with the smaller number is first, a step for each second of waiting. Above 0 the requests of other callers are first too, for as many seconds. Default: 0.",
  });

/** llama-server's `cache_prompt`. Made anew for each schema. */
export const cachePromptField = () =>
  trueOrFalse().optional().meta({
    description:
      "false: all of the prompt is evaluated, and nothing in advance, so that equal requests with a seed get equal answers while nothing else runs. Default: true.",
  });

/** How a request with this field is evaluated. */
export function toEvaluation(cachePrompt: boolean | undefined): GenerationRequest["evaluation"] {
  return cachePrompt === false ? "anew" : undefined;
}

/** What the chunks of a stream have. Made anew for each schema: a description belongs to one place. */
export const streamOptions = () =>
  z
    .looseObject(
      {
        include_usage: trueOrFalse()
          .optional()
          .meta({ description: "true: a last chunk has the usage." }),
        continuous_usage_stats: trueOrFalse()
          .optional()
          .meta({ description: "true: every chunk has the usage." }),
      },
      { error: "expected an object" },
    )
    .optional()
    .meta({ override: nullableWhereOptional });

/** OpenAI's levels of reasoning effort, rising. */
export const REASONING_EFFORTS = [
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
] as const;

/** Where the usage of a stream is: nowhere, in a last chunk of its own, or in every chunk. */
export type UsageReporting = "none" | "at-end" | "continuous";

/** Where a request wants the usage. */
export function usageReporting({
  stream_options: options,
}: {
  readonly stream_options?: z.output<ReturnType<typeof streamOptions>>;
}): UsageReporting {
  if (options?.continuous_usage_stats) return "continuous";
  return options?.include_usage ? "at-end" : "none";
}

/** llama-server's fields for what streams report besides the text. Made anew for each schema. */
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

/** @returns `undefined`: nothing is to be reported, as for every answer that is not streamed */
export function toProgressReporting(body: ProgressFields): ProgressReporting | undefined {
  const { stream = false, timings_per_token = false, return_progress = false } = body;
  if (!stream || !(timings_per_token || return_progress)) return undefined;
  return {
    ...(return_progress && { prompt: "with-each-slice" }),
    ...(timings_per_token && { timings: "with-each-text" }),
  };
}
