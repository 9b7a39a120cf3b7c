import { z } from "zod";
import { boundedArray } from "../../../validation/bounded-collections.js";
import { nonEmptyText, text, trueOrFalse } from "../../../validation/fields.js";
import { constraintFields } from "../constraint-schema.js";
import { nullableWhereOptional } from "../describe-nulls.js";
import { timings } from "../response-schema.js";
import { samplingFields, stoppingFields } from "../sampling-schema.js";

const MAX_FILES = 1_000;

const file = z
  .looseObject({ filename: text().nullish(), text: text() }, { error: "expected an object" })
  .meta({ id: "InfillFile" });

/** The body of `POST /infill`. Nulls, which mean absent, have been removed. */
export const infillRequest = z
  .looseObject(
    {
      model: nonEmptyText()
        .optional()
        .meta({ description: "The model's name. Default: the served model." }),
      input_prefix: text().meta({ description: "The text before the gap." }),
      input_suffix: text().meta({ description: "The text behind the gap." }),
      input_extra: boundedArray(z.array(file, { error: "expected an array of files" }), {
        max: MAX_FILES,
        of: "files",
      })
        .optional()
        .meta({ description: "Other files that belong to it." }),
      prompt: text().optional().meta({ description: "What the gap begins with." }),
      ...stoppingFields(),
      ...samplingFields(),
      ...constraintFields(),
      stream: trueOrFalse().optional().meta({ description: "true: server-sent events." }),
    },
    { error: "expected a JSON object" },
  )
  .meta({
    id: "InfillRequest",
    description: "null means absent for every optional field. Unknown fields are ignored.",
    override: nullableWhereOptional,
  });

export type InfillRequest = z.output<typeof infillRequest>;

const common = {
  index: z.literal(0),
  content: z.string(),
  tokens_predicted: z.int().nonnegative(),
  tokens_evaluated: z.int().nonnegative().meta({ description: "Tokens of the whole prompt." }),
};

/** The answer, and the last event of a stream, in which the content is empty. */
export const infillAnswer = z
  .object({
    ...common,
    stop: z.literal(true),
    model: z.string(),
    stop_type: z.enum(["eos", "limit", "word"]),
    stopping_word: z.string().meta({ description: "The stop string that ended it, or empty." }),
    has_new_line: z.boolean(),
    truncated: z.literal(false).meta({ description: "A prompt that is too long is refused." }),
    tokens_cached: z.int().nonnegative(),
    timings,
  })
  .meta({ id: "InfillAnswer" });

export type InfillAnswer = z.infer<typeof infillAnswer>;

/** An event of a stream before the last one. */
export const infillPiece = z
  .object({ ...common, stop: z.literal(false) })
  .meta({ id: "InfillPiece" });

export type InfillPiece = z.infer<typeof infillPiece>;
