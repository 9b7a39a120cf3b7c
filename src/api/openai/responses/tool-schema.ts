import { z } from "zod";
import { boundedArray } from "../../../validation/bounded-collections.js";
import { nonEmptyText, oneOf, trueOrFalse } from "../../../validation/fields.js";
import { functionFields } from "../function-schema.js";

const MAX_TOOLS = 1_000;

const namedFunction = z.looseObject({ type: z.literal("function"), name: nonEmptyText() });

const functionTool = z
  .looseObject({
    type: z.literal("function"),
    ...functionFields,
    strict: trueOrFalse().nullish().meta({
      description:
        "true: arguments satisfy the schema; a schema that cannot be held is refused. Default: false.",
    }),
  })
  .meta({ id: "ResponseTool", description: "A function that the model may call." });

/** Of a hosted tool only the type is at fault. */
const tool = z.discriminatedUnion("type", [functionTool], {
  error: ({ input }) =>
    typeof input === "object" && input !== null
      ? 'expected "function": this server has no other tools'
      : "expected a tool",
});

export const responseTools = boundedArray(z.array(tool, { error: "expected an array of tools" }), {
  max: MAX_TOOLS,
  of: "tools",
});

/** Whether, and which, functions the model may or must call. */
export const responseToolChoice = z
  .union(
    [
      oneOf(["none", "auto", "required"]),
      namedFunction,
      z.looseObject({
        type: z.literal("allowed_tools"),
        mode: oneOf(["auto", "required"]),
        tools: boundedArray(
          z.array(namedFunction).min(1, { error: "expected at least one tool" }),
          { max: MAX_TOOLS, of: "tools" },
        ),
      }),
    ],
    {
      error:
        'expected "none", "auto", "required", {"type":"function","name":…} or {"type":"allowed_tools","mode":…,"tools":[…]}',
    },
  )
  .meta({
    id: "ResponseToolChoice",
    description: "Whether the model may or must call functions, and which. Default: auto.",
  });

export type ResponseTool = z.output<typeof functionTool>;
export type ResponseToolChoice = z.output<typeof responseToolChoice>;
