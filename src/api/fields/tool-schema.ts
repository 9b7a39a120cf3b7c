import { z } from "zod";
import { boundedArray } from "../../validation/bounded-collections.js";
import { nonEmptyText, oneOf, text, trueOrFalse } from "../../validation/fields.js";
import { customGrammarFields } from "./custom-tool.js";
import { HOSTED_TOOL_DESCRIPTION, HOSTED_TOOL_TYPES } from "./hosted-tools.js";

const MAX_FUNCTIONS = 1_000;

/** Definition of a function, in a tool or in the deprecated `functions`. */
export const functionFields = {
  name: z
    .string({ error: "expected a string" })
    .regex(/^[\w.-]{1,64}$/, { error: "expected 1 to 64 letters, digits, _, . or -" }),
  description: text().nullish(),
  parameters: z
    .record(z.string(), z.unknown(), { error: "expected a JSON schema" })
    .nullish()
    .meta({ description: "JSON schema of the arguments." }),
};

/** Called function, with the arguments that the assistant wrote. */
export const calledFunction = z.looseObject(
  {
    name: nonEmptyText(),
    arguments: text().meta({ description: "The arguments, as a JSON string." }),
  },
  { error: "expected an object" },
);

/** OpenAI's deprecated fields, replaced by tools. */
export const functionCallFields = {
  functions: boundedArray(
    z.array(
      z
        .looseObject(functionFields, { error: "expected an object" })
        .meta({ id: "Function", description: "A function that the model can call." }),
      { error: "expected an array of functions" },
    ),
    { max: MAX_FUNCTIONS, of: "functions" },
  )
    .optional()
    .meta({ description: "Older form of `tools`. Cannot be combined with it.", deprecated: true }),
  function_call: z
    .union([oneOf(["none", "auto"]), z.looseObject({ name: nonEmptyText() })], {
      error: 'expected "none", "auto" or {"name":…}',
    })
    .optional()
    .meta({
      description:
        "Whether the model may or must call a function, and which one. Default: `auto` if there are functions.",
      deprecated: true,
    }),
};

const MAX_TOOLS = 1_000;

const MAX_TOOL_CALLS = 1_000;

const functionTool = z
  .looseObject({
    type: z.literal("function"),
    function: z.looseObject({
      ...functionFields,
      strict: trueOrFalse().nullish().meta({
        description:
          "Whether arguments must conform to the schema. A schema that cannot be enforced is rejected.",
      }),
    }),
  })
  .meta({ id: "Tool", description: "A function that the model can call." });

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
  .meta({ id: "CustomToolFormat", description: "Format of a custom tool's input." });

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
  .meta({
    id: "CustomTool",
    description: "A tool whose input is free text instead of JSON arguments.",
  });

const hostedTool = z
  .looseObject({ type: z.enum(HOSTED_TOOL_TYPES) })
  .meta({ id: "HostedTool", description: HOSTED_TOOL_DESCRIPTION });

const tool = z.discriminatedUnion("type", [functionTool, customTool, hostedTool], {
  error: ({ input }) =>
    typeof input === "object" && input !== null
      ? "expected one of function, custom, or a hosted tool"
      : "expected a tool",
});

export const chatTools = boundedArray(z.array(tool, { error: "expected an array of tools" }), {
  max: MAX_TOOLS,
  of: "tools",
});

const functionCall = z
  .looseObject({
    id: text(),
    // Clients omit the type, and some send other values.
    type: z
      .string()
      .refine((type) => type !== "custom", { error: 'expected "function"' })
      .nullish(),
    function: calledFunction,
  })
  .meta({ id: "RequestToolCall", description: "An earlier tool call of the assistant." });

const customCall = z
  .looseObject({
    id: text(),
    type: z.literal("custom"),
    custom: z.looseObject({ name: nonEmptyText(), input: text() }, { error: "expected an object" }),
  })
  .meta({
    id: "RequestCustomToolCall",
    description: "An earlier custom tool call of the assistant.",
  });

/** Tool calls of an earlier assistant message. */
export const earlierCalls = boundedArray(
  z.array(z.union([customCall, functionCall], { error: "expected a tool call" })),
  { max: MAX_TOOL_CALLS, of: "tool calls" },
);

/** Tool that the client runs. */
export type RequestTool = z.output<typeof functionTool> | z.output<typeof customTool>;

/** Tool of a request, hosted or not. */
export type ChatTool = z.output<typeof tool>;

export type RequestFunctionCall = z.output<typeof functionCall>;

export type RequestCustomCall = z.output<typeof customCall>;

export type RequestToolCall = RequestFunctionCall | RequestCustomCall;

/** Returns the name of a tool, whatever its type. */
export function nameOfTool(tool: RequestTool): string {
  return tool.type === "function" ? tool.function.name : tool.custom.name;
}

/** Whether the client runs a tool, so that the model can call it. */
export function isClientTool(tool: ChatTool): tool is RequestTool {
  return tool.type === "function" || tool.type === "custom";
}

export function isCustomCall(call: RequestToolCall): call is RequestCustomCall {
  return call.type === "custom";
}

const MAX_ALLOWED_TOOLS = 1_000;

const namedObject = z.looseObject({ name: nonEmptyText() }, { error: "expected an object" });

const namedFunction = z.looseObject({ type: z.literal("function"), function: namedObject });

const namedCustomTool = z.looseObject({ type: z.literal("custom"), custom: namedObject });

const namedTool = z.discriminatedUnion("type", [namedFunction, namedCustomTool], {
  error: "expected one of function, custom",
});

/** OpenAI's `tool_choice`: whether the model may or must call tools, and which. */
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
    description: "Whether the model may or must call tools, and which ones. Default: `auto`.",
  });

export type NamedTool = z.output<typeof namedTool>;
