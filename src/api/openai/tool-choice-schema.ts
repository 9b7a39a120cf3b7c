import { z } from "zod";
import { boundedArray } from "../../validation/bounded-collections.js";
import { nonEmptyText, oneOf } from "../../validation/fields.js";

const MAX_ALLOWED_TOOLS = 1_000;

const namedFunction = z.looseObject({
  type: z.literal("function"),
  function: z.looseObject({ name: nonEmptyText() }),
});

/** Whether, and which, functions the model may or must call. */
export const toolChoice = z
  .union(
    [
      oneOf(["none", "auto", "required"]),
      namedFunction,
      z.looseObject({
        type: z.literal("allowed_tools"),
        allowed_tools: z.looseObject({
          mode: oneOf(["auto", "required"]),
          tools: boundedArray(
            z.array(namedFunction).min(1, { error: "expected at least one tool" }),
            {
              max: MAX_ALLOWED_TOOLS,
              of: "tools",
            },
          ),
        }),
      }),
    ],
    {
      error:
        'expected "none", "auto", "required", {"type":"function","function":{"name":…}} or {"type":"allowed_tools","allowed_tools":{"mode":…,"tools":[…]}}',
    },
  )
  .meta({
    id: "ToolChoice",
    description: "Whether the model may or must call functions, and which. Default: auto.",
  });
