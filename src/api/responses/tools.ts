import { z } from "zod";
import type { ToolDefinition } from "../../core/generation-request.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import { nonEmptyText, oneOf, text, trueOrFalse } from "../../validation/fields.js";
import { customGrammarFields, toCustomDefinition } from "../fields/custom-tool.js";
import {
  HOSTED_TOOL_DESCRIPTION,
  HOSTED_TOOL_TYPES,
  type HostedTool,
} from "../fields/hosted-tools.js";
import { rejectRepeatedNames } from "../fields/tool-names.js";
import { functionFields } from "../fields/tool-schema.js";
import { type McpChoice, mcpChoice, mcpTool } from "./mcp-tool-schema.js";
import { noServers, requiresApproval, type SelectedServer } from "./mcp-tools.js";
import {
  applyPatchTool,
  type ContainerShell,
  isContainerShell,
  localShellTool,
  PUBLISHED_TYPES,
  type PublishedType,
  shellTool,
  toPublishedDefinition,
} from "./published-tools.js";

const MAX_TOOLS = 1_000;

/**
 * Types of tools that run on OpenAI's servers, or that the model cannot call here. `mcp` is one of
 * them where no MCP server is configured.
 */
export const HOSTED_TOOLS = [
  ...HOSTED_TOOL_TYPES,
  "computer",
  "computer_use",
  "computer_use_preview",
  "tool_search",
  "programmatic_tool_calling",
] as const;

const functionTool = z
  .looseObject({
    type: z.literal("function"),
    ...functionFields,
    strict: trueOrFalse().nullish().meta({
      description:
        "Whether arguments must conform to the schema. A schema that cannot be enforced is rejected. Default: `false`.",
    }),
  })
  .meta({ id: "ResponseTool", description: "A function that the model can call." });

const customFormat = z
  .discriminatedUnion(
    "type",
    [
      z.looseObject({ type: z.literal("text") }),
      z.looseObject({ type: z.literal("grammar"), ...customGrammarFields }),
    ],
    { error: "expected one of text, grammar" },
  )
  .meta({ id: "ResponseToolFormat", description: "Format of a custom tool's input." });

const customTool = z
  .looseObject({
    type: z.literal("custom"),
    name: functionFields.name,
    description: text().nullish(),
    format: customFormat.nullish(),
  })
  .meta({
    id: "ResponseCustomTool",
    description: "A tool whose input is free text instead of JSON arguments.",
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
  .looseObject({ type: z.enum(HOSTED_TOOLS).exclude(["mcp"]) })
  .meta({ id: "ResponseHostedTool", description: HOSTED_TOOL_DESCRIPTION });

/** Types of tools that the model can call. */
const CALLABLE_TYPES = ["function", "custom", "namespace", "mcp", ...PUBLISHED_TYPES].join(", ");

const tool = z.discriminatedUnion(
  "type",
  [
    functionTool,
    customTool,
    namespace,
    mcpTool,
    localShellTool,
    shellTool,
    applyPatchTool,
    hostedTool,
  ],
  {
    error: ({ input }) =>
      typeof input === "object" && input !== null
        ? `expected one of ${CALLABLE_TYPES}, or a hosted tool`
        : "expected a tool",
  },
);

export const responseTools = boundedArray(z.array(tool, { error: "expected an array of tools" }), {
  max: MAX_TOOLS,
  of: "tools",
});

/** Tool choice by name. */
const namedTool = z.looseObject({
  type: oneOf(["function", "custom"]),
  name: nonEmptyText(),
  namespace: nonEmptyText().nullish(),
});

/** Types of published tools that OpenAI's clients can require a call of. */
const REQUIRABLE_TYPES = ["shell", "apply_patch"] as const;

/** Choice of a tool that is known by its type. */
const typedTool = z.looseObject({ type: z.enum([...PUBLISHED_TYPES, ...HOSTED_TOOLS]) });

/** Tool choice: whether the model may or must call tools, and which. */
export const responseToolChoice = z
  .union(
    [
      oneOf(["none", "auto", "required"]),
      z.discriminatedUnion(
        "type",
        [
          namedTool,
          mcpChoice,
          z.looseObject({ type: z.enum(REQUIRABLE_TYPES) }),
          z.looseObject({
            type: z.literal("allowed_tools"),
            mode: oneOf(["auto", "required"]),
            tools: boundedArray(
              z
                .array(
                  z.union([namedTool, mcpChoice, typedTool], { error: "expected a tool's name" }),
                )
                .min(1, { error: "expected at least one tool" }),
              { max: MAX_TOOLS, of: "tools" },
            ),
          }),
        ],
        {
          error: `expected one of function, custom, mcp, ${REQUIRABLE_TYPES.join(", ")}, allowed_tools`,
        },
      ),
    ],
    {
      error:
        'expected "none", "auto", "required", {"type":"function","name":…}, {"type":"shell"} or {"type":"allowed_tools","mode":…,"tools":[…]}',
    },
  )
  .meta({
    id: "ResponseToolChoice",
    description: "Whether the model may or must call tools, and which ones. Default: `auto`.",
  });

export type FunctionTool = z.output<typeof functionTool>;
export type CustomTool = z.output<typeof customTool>;
export type ResponseTool = z.output<typeof responseTools>[number];
export type ResponseToolChoice = z.output<typeof responseToolChoice>;
export type NamedTool = z.output<typeof namedTool>;

/** Whether a tool is chosen by a name that the client gave it. */
export function isNamedTool(tool: { readonly type: string }): tool is NamedTool {
  return tool.type === "function" || tool.type === "custom";
}

/** Whether tools of an MCP server are chosen. */
export function isMcpChoice(tool: { readonly type: string }): tool is McpChoice {
  return tool.type === "mcp" && "server_label" in tool;
}

/** Name of a tool in the client's request. */
export interface ToolName {
  readonly name: string;
  /** Absent or null: the tool is in no namespace. */
  readonly namespace?: string | null | undefined;
}

/** Tool that the model may call. */
export interface OfferedTool extends ToolName {
  readonly kind: "function" | "custom" | "mcp" | PublishedType;
  /** Whether a call waits for an approval; only of tools of MCP servers. */
  readonly requiresApproval?: boolean;
  /** Definition in the prompt, under the tool's {@link toOfferedName}. */
  readonly definition: ToolDefinition;
}

const SEPARATOR = "__";

/**
 * Returns the tool name in the prompt. Tools in different namespaces may have the same name, so the
 * namespace is its prefix. Codex sends namespaces of MCP servers that already end with the
 * separator.
 */
export function toOfferedName({ name, namespace }: ToolName): string {
  if (!namespace) return name;
  return namespace.endsWith(SEPARATOR) ? namespace + name : namespace + SEPARATOR + name;
}

/**
 * Returns the tools of a request that the model may call, without hosted ones.
 * @param servers selected MCP servers of the request
 * @throws {GgufdError} `invalid_request` for two tools of one name
 */
export function listOfferedTools(
  tools: readonly ResponseTool[] = [],
  servers: readonly SelectedServer[] = noServers,
): readonly OfferedTool[] {
  const callableTools = tools.flatMap((tool, index): OfferedTool[] => {
    const field = `tools.${index}`;
    switch (tool.type) {
      case "function":
      case "custom":
        return [toOffered(tool, field)];
      case "namespace":
        return tool.tools.map((inner, innerIndex) =>
          toOffered(inner, `${field}.tools.${innerIndex}`, tool.name),
        );
      case "mcp":
        return servers.filter((server) => server.index === index).flatMap(toServerTools);
      default: {
        if (isHostedTool(tool)) return [];
        const { type } = tool;
        return [{ kind: type, name: type, definition: toPublishedDefinition(tool, field) }];
      }
    }
  });
  rejectRepeatedNames(
    callableTools.map(({ kind, namespace, definition: { name } }) => ({
      name,
      isLookedUp: kind !== "function" || namespace !== undefined,
    })),
  );
  return callableTools;
}

type HostedResponseTool = z.output<typeof hostedTool | typeof mcpTool> | ContainerShell;

/** Whether a tool runs on OpenAI's servers, or has an input that is not published. */
function isHostedTool(tool: ResponseTool): tool is HostedResponseTool {
  if (tool.type === "shell") return isContainerShell(tool);
  return HOSTED_TOOLS.some((type) => type === tool.type);
}

/** Returns the tools of an MCP server under names that all model families can write. */
function toServerTools({ index, tool, label, tools }: SelectedServer): readonly OfferedTool[] {
  return tools.map((serverTool) => ({
    kind: "mcp",
    name: serverTool.name,
    namespace: label,
    requiresApproval: requiresApproval(tool, serverTool),
    definition: {
      name: toMcpOfferedName(label, serverTool.name),
      ...(serverTool.description !== undefined && { description: serverTool.description }),
      parameters: serverTool.inputSchema,
      parametersField: `tools.${index}`,
    },
  }));
}

/** Returns the name in the prompt of a tool of an MCP server. */
export function toMcpOfferedName(label: string, name: string): string {
  return toOfferedName({ name: name.replaceAll(/[^\w.-]/g, "_"), namespace: label });
}

/** Returns the hosted tools among a request's tools. */
export function listHostedTools(tools: readonly ResponseTool[] = []): readonly HostedTool[] {
  return tools.flatMap((tool, index) =>
    isHostedTool(tool) ? [toHostedTool(tool, `tools.${index}`)] : [],
  );
}

/** A shell is hosted because of its environment, so that is the field at fault. */
function toHostedTool(tool: HostedResponseTool, field: string): HostedTool {
  return tool.type === "shell"
    ? { field: `${field}.environment.type`, type: `${tool.type} in a container` }
    : { field: `${field}.type`, type: tool.type };
}

function toOffered(
  tool: FunctionTool | CustomTool,
  field: string,
  namespace?: string,
): OfferedTool {
  const { name, description } = tool;
  const common = {
    name: toOfferedName({ name, namespace }),
    description: description ?? undefined,
  };
  if (tool.type === "function") {
    const { parameters, strict } = tool;
    return {
      kind: "function",
      name,
      namespace,
      definition: {
        ...common,
        parameters: parameters ?? undefined,
        parametersField: `${field}.parameters`,
        strict: strict ?? undefined,
      },
    };
  }
  const { format } = tool;
  const definition = toCustomDefinition({
    ...common,
    grammar: format?.type === "grammar" ? format : undefined,
    definitionField: `${field}.format.definition`,
  });
  return { kind: "custom", name, namespace, definition };
}
