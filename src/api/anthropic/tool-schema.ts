import { z } from "zod";
import { boundedArray } from "../../validation/bounded-collections.js";
import { nonEmptyText, text, trueOrFalse } from "../../validation/fields.js";

const MAX_TOOLS = 1_000;

const tool = z
  .looseObject(
    {
      type: text().nullish().meta({ description: "`custom`, or absent." }),
      name: z
        .string({ error: "expected a string" })
        .regex(/^[\w.-]{1,128}$/, { error: "expected 1 to 128 letters, digits, _, . or -" }),
      description: text().nullish(),
      input_schema: z
        .record(z.string(), z.unknown(), { error: "expected a JSON schema" })
        .meta({ description: "The JSON schema of the input." }),
      strict: trueOrFalse().nullish().meta({
        description: "true: inputs satisfy the schema; a schema that cannot be held is refused.",
      }),
    },
    { error: "expected a tool" },
  )
  .meta({ id: "MessagesTool", description: "A tool that the client runs." });

const disableParallelToolUse = trueOrFalse().nullish().meta({
  description: "true: the message ends after its first call.",
});

const toolChoice = z
  .discriminatedUnion(
    "type",
    [
      z.looseObject({
        type: z.literal("auto"),
        disable_parallel_tool_use: disableParallelToolUse,
      }),
      z.looseObject({
        type: z.literal("any"),
        disable_parallel_tool_use: disableParallelToolUse,
      }),
      z.looseObject({
        type: z.literal("tool"),
        name: nonEmptyText(),
        disable_parallel_tool_use: disableParallelToolUse,
      }),
      z.looseObject({ type: z.literal("none") }),
    ],
    {
      error: ({ input }) =>
        typeof input === "object" && input !== null
          ? "expected one of auto, any, tool, none"
          : 'expected an object such as {"type":"auto"}',
    },
  )
  .meta({
    id: "MessagesToolChoice",
    description: "Whether the model may or must use tools, and which. Default: auto.",
  });

/** What the model may call. */
export const toolFields = {
  tools: boundedArray(z.array(tool, { error: "expected an array of tools" }), {
    max: MAX_TOOLS,
    of: "tools",
  }).nullish(),
  tool_choice: toolChoice.nullish(),
};

export type RequestTool = z.output<typeof tool>;
