import { z } from "zod";
import { boundedArray } from "../../validation/bounded-collections.js";
import { nonEmptyText, text, trueOrFalse } from "../../validation/fields.js";
import { customGrammarFields } from "./custom-tool.js";
import { calledFunction, functionFields } from "./function-schema.js";

const MAX_TOOLS = 1_000;
const MAX_TOOL_CALLS = 1_000;

const functionTool = z
  .looseObject({
    type: z.literal("function"),
    function: z.looseObject({
      ...functionFields,
      strict: trueOrFalse().nullish().meta({
        description: "true: arguments satisfy the schema; a schema that cannot be held is refused.",
      }),
    }),
  })
  .meta({ id: "Tool", description: "A function that the model may call." });

const customFormat = z
  .discriminatedUnion(
    "type",
    [
      z.looseObject({ type: z.literal("text") }),
      z.looseObject({
        type: z.literal("grammar"),
        grammar: z.looseObject(customGrammarFields, { error: "expected an object" }),
      }),
    ],
    { error: "expected one of text, grammar" },
  )
  .meta({ id: "CustomToolFormat", description: "What the input of a custom tool must be." });

const customTool = z
  .looseObject({
    type: z.literal("custom"),
    custom: z.looseObject(
      {
        name: functionFields.name,
        description: text().nullish(),
        format: customFormat.nullish(),
      },
      { error: "expected an object" },
    ),
  })
  .meta({ id: "CustomTool", description: "A tool that takes a text instead of arguments." });

const tool = z.discriminatedUnion("type", [functionTool, customTool], {
  error: ({ input }) =>
    typeof input === "object" && input !== null
      ? "expected one of function, custom"
      : "expected a tool",
});

/** The tools of a request. */
export const chatTools = boundedArray(z.array(tool, { error: "expected an array of tools" }), {
  max: MAX_TOOLS,
  of: "tools",
});

const functionCall = z
  .looseObject({
    id: text(),
    // Clients leave it out, and some have words of their own for it.
    type: z
      .string()
      .refine((type) => type !== "custom", { error: 'expected "function"' })
      .nullish(),
    function: calledFunction,
  })
  .meta({ id: "RequestToolCall", description: "A call that the assistant made earlier." });

const customCall = z
  .looseObject({
    id: text(),
    type: z.literal("custom"),
    custom: z.looseObject({ name: nonEmptyText(), input: text() }, { error: "expected an object" }),
  })
  .meta({
    id: "RequestCustomToolCall",
    description: "A call of a custom tool that the assistant made earlier.",
  });

/** The calls of an earlier message. */
export const earlierCalls = boundedArray(
  z.array(z.union([customCall, functionCall], { error: "expected a tool call" })),
  { max: MAX_TOOL_CALLS, of: "tool calls" },
);

export type RequestTool = z.output<typeof tool>;
export type RequestFunctionCall = z.output<typeof functionCall>;
export type RequestCustomCall = z.output<typeof customCall>;
export type RequestToolCall = RequestFunctionCall | RequestCustomCall;

/** The name of a tool. */
export function nameOfTool(tool: RequestTool): string {
  return tool.type === "function" ? tool.function.name : tool.custom.name;
}

/** Whether a call is one of a custom tool. */
export function isCustomCall(call: RequestToolCall): call is RequestCustomCall {
  return call.type === "custom";
}
