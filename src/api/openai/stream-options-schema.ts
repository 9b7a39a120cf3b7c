import { z } from "zod";
import { trueOrFalse } from "../../validation/fields.js";
import { nullableWhereOptional } from "./describe-nulls.js";

/** What the chunks of a stream have. Made anew for each request's schema: a description belongs to one place. */
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
