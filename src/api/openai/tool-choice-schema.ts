import { z } from "zod";
import { boundedArray } from "../../validation/bounded-collections.js";
import { nonEmptyText, oneOf } from "../../validation/fields.js";

const MAX_ALLOWED_TOOLS = 1_000;

const named = z.looseObject({ name: nonEmptyText() }, { error: "expected an object" });
const namedFunction = z.looseObject({ type: z.literal("function"), function: named });
const namedCustomTool = z.looseObject({ type: z.literal("custom"), custom: named });
const namedTool = z.discriminatedUnion("type", [namedFunction, namedCustomTool], {
  error: "expected one of function, custom",
});

/** Whether, and which, tools the model may or must call. */
export const toolChoice = z
  .union(
    [
      oneOf(["none", "auto", "required"]),
      namedFunction,
      z.looseObject({
        type: z.literal("allowed_tools"),
        allowed_tools: z.looseObject({
          mode: oneOf(["auto", "required"]),
          tools: boundedArray(z.array(namedTool).min(1, { error: "expected at least one tool" }), {
            max: MAX_ALLOWED_TOOLS,
            of: "tools",
          }),
        }),
      }),
      namedCustomTool,
    ],
    {
      error:
        'expected "none", "auto", "required", {"type":"function","function":{"name":…}}, {"type":"custom","custom":{"name":…}} or {"type":"allowed_tools","allowed_tools":{"mode":…,"tools":[…]}}',
    },
  )
  .meta({
    id: "ToolChoice",
    description: "Whether the model may or must call tools, and which. Default: auto.",
  });

export type NamedTool = z.output<typeof namedTool>;
