import { z } from "zod";
import { boundedArray } from "../../../validation/bounded-collections.js";
import { text, trueOrFalse } from "../../../validation/fields.js";
import { nullableWhereOptional } from "../describe-nulls.js";
import { nativeFields } from "../llama-server/fields.js";
import { countFields, endingFields } from "../llama-server/response-schema.js";

const MAX_FILES = 1_000;

const file = z
  .looseObject({ filename: text().nullish(), text: text() }, { error: "expected an object" })
  .meta({ id: "InfillFile" });

/** The body of `POST /infill`. Nulls, which mean absent, have been removed. */
export const infillRequest = z
  .looseObject(
    {
      ...nativeFields(),
      input_prefix: text().meta({ description: "The text before the gap." }),
      input_suffix: text().meta({ description: "The text behind the gap." }),
      input_extra: boundedArray(z.array(file, { error: "expected an array of files" }), {
        max: MAX_FILES,
        of: "files",
      })
        .optional()
        .meta({ description: "Other files that belong to it." }),
      prompt: text().optional().meta({ description: "What the gap begins with." }),
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

const common = { index: z.literal(0), content: z.string() };

/** The answer, and the last event of a stream, in which the content is empty. */
export const infillAnswer = z
  .object({ ...common, ...endingFields, model: z.string() })
  .meta({ id: "InfillAnswer" });

export type InfillAnswer = z.infer<typeof infillAnswer>;

/** An event of a stream before the last one. */
export const infillPiece = z
  .object({ ...common, ...countFields, stop: z.literal(false) })
  .meta({ id: "InfillPiece" });

export type InfillPiece = z.infer<typeof infillPiece>;
