import { z } from "zod";
import { boundedArray } from "../../../validation/bounded-collections.js";
import { nonEmptyText, oneOf, text, trueOrFalse } from "../../../validation/fields.js";
import { customGrammarFields } from "../custom-tool.js";
import { functionFields } from "../tool-schema.js";

const MAX_TOOLS = 1_000;

/** Tools that run on OpenAI's servers, or that its clients run by rules of their own. */
export const HOSTED_TOOLS = [
  "web_search",
  "web_search_2025_08_26",
  "web_search_preview",
  "web_search_preview_2025_03_11",
  "file_search",
  "code_interpreter",
  "image_generation",
  "mcp",
  "computer",
  "computer_use",
  "computer_use_preview",
  "local_shell",
  "shell",
  "apply_patch",
  "tool_search",
  "programmatic_tool_calling",
] as const;

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

const customFormat = z
  .discriminatedUnion(
    "type",
    [
      z.looseObject({ type: z.literal("text") }),
      z.looseObject({ type: z.literal("grammar"), ...customGrammarFields }),
    ],
    { error: "expected one of text, grammar" },
  )
  .meta({ id: "ResponseToolFormat", description: "What the input of a custom tool must be." });

const customTool = z
  .looseObject({
    type: z.literal("custom"),
    name: functionFields.name,
    description: text().nullish(),
    format: customFormat.nullish(),
  })
  .meta({
    id: "ResponseCustomTool",
    description: "A tool that takes a text instead of arguments.",
  });

const namespace = z
  .looseObject({
    type: z.literal("namespace"),
    name: functionFields.name,
    description: text().nullish(),
    tools: boundedArray(
      z.array(
        z.discriminatedUnion("type", [functionTool, customTool], {
          error: "expected one of function, custom",
        }),
        { error: "expected an array of tools" },
      ),
      { max: MAX_TOOLS, of: "tools" },
    ),
  })
  .meta({
    id: "ResponseToolNamespace",
    description: "Tools of one origin, such as an MCP server.",
  });

const hostedTool = z
  .looseObject({ type: z.enum(HOSTED_TOOLS) })
  .meta({ id: "ResponseHostedTool", description: "Left out, or refused with `--hosted-tools`." });

const tool = z.discriminatedUnion("type", [functionTool, customTool, namespace, hostedTool], {
  error: ({ input }) =>
    typeof input === "object" && input !== null
      ? "expected one of function, custom, namespace, or a hosted tool"
      : "expected a tool",
});

export const responseTools = boundedArray(z.array(tool, { error: "expected an array of tools" }), {
  max: MAX_TOOLS,
  of: "tools",
});

/** A tool that is asked for by its name. */
const namedTool = z.looseObject({
  type: oneOf(["function", "custom"]),
  name: nonEmptyText(),
  namespace: nonEmptyText().nullish(),
});
const namedHostedTool = z.looseObject({ type: z.enum(HOSTED_TOOLS) });

/** Whether, and which, tools the model may or must call. */
export const responseToolChoice = z
  .union(
    [
      oneOf(["none", "auto", "required"]),
      namedTool,
      z.looseObject({
        type: z.literal("allowed_tools"),
        mode: oneOf(["auto", "required"]),
        tools: boundedArray(
          z
            .array(z.union([namedTool, namedHostedTool], { error: "expected a tool's name" }))
            .min(1, { error: "expected at least one tool" }),
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
    description: "Whether the model may or must call tools, and which. Default: auto.",
  });

export type FunctionTool = z.output<typeof functionTool>;
export type CustomTool = z.output<typeof customTool>;
export type HostedTool = z.output<typeof hostedTool>;
export type ResponseTool = z.output<typeof responseTools>[number];
export type ResponseToolChoice = z.output<typeof responseToolChoice>;
export type NamedTool = z.output<typeof namedTool>;

/** Whether a tool is one that this server can have called. */
export function isNamedTool(tool: { readonly type: string }): tool is NamedTool {
  return tool.type === "function" || tool.type === "custom";
}
