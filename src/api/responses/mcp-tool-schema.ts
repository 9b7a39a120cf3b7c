/** Schemas of OpenAI's `mcp` tool, and of choices of its tools. */
import { z } from "zod";
import { boundedArray } from "../../validation/bounded-collections.js";
import { nonEmptyText, text, trueOrFalse } from "../../validation/fields.js";

const MAX_NAMES = 1_000;

const toolNames = boundedArray(z.array(nonEmptyText(), { error: "expected an array of names" }), {
  max: MAX_NAMES,
  of: "names",
});

const toolFilter = z.looseObject(
  {
    tool_names: toolNames.nullish(),
    read_only: trueOrFalse().nullish().meta({
      description: "Tools that the server annotates with this `readOnlyHint`.",
    }),
  },
  { error: "expected an object" },
);

const APPROVAL_ERROR = 'expected "always", "never" or {"always":{…},"never":{…}}';

/** Fields of OpenAI's tool that would have the server contact something else, with the reason. */
const REFUSED_FIELDS = {
  authorization: "the operator configures the access to MCP servers",
  headers: "the operator configures the access to MCP servers",
  connector_id: "OpenAI's connectors are not available here",
  tunnel_id: "OpenAI's tunnels are not available here",
} as const;

/** The tool, without restrictions: it is left out of the prompt where no MCP server is configured. */
export const mcpTool = z
  .looseObject({
    type: z.literal("mcp"),
    server_label: text().nullish().meta({
      description: "Name of a configured MCP server, or any label with `server_url`.",
    }),
    server_url: text().nullish().meta({
      description: "URL of a configured MCP server. No other address is contacted.",
    }),
    require_approval: z
      .union(
        [
          z.enum(["always", "never"]),
          z.looseObject({ always: toolFilter.nullish(), never: toolFilter.nullish() }),
        ],
        { error: APPROVAL_ERROR },
      )
      .nullish()
      .meta({ description: "Calls that wait for an approval. Default: `always`." }),
    allowed_tools: z
      .union([toolNames, toolFilter], { error: "expected an array of names, or a filter" })
      .nullish()
      .meta({ description: "Tools that the model may call. Default: all." }),
  })
  .meta({ id: "ResponseMcpTool", description: "Tools of an MCP server, which this server calls." });

export type McpTool = z.output<typeof mcpTool>;
export type ToolFilter = z.output<typeof toolFilter>;

/** Choice of the tools of an MCP server, or of one of them. */
export const mcpChoice = z.looseObject({
  type: z.literal("mcp"),
  server_label: nonEmptyText(),
  name: nonEmptyText().nullish(),
});

export type McpChoice = z.output<typeof mcpChoice>;

/** Returns the refused field of a tool and the reason; `undefined`: none is present. */
export function findRefusedField(
  tool: McpTool,
): { readonly field: string; readonly reason: string } | undefined {
  for (const [field, reason] of Object.entries(REFUSED_FIELDS)) {
    const value = tool[field];
    if (value !== undefined && value !== null) return { field, reason };
  }
  return undefined;
}

/** Whether a filter has no condition. */
export function isEmptyFilter({ tool_names: names, read_only: readOnly }: ToolFilter): boolean {
  return !names && typeof readOnly !== "boolean";
}

/** Whether a tool meets all conditions of a filter. An empty filter matches nothing. */
export function matchesFilter(
  filter: ToolFilter,
  tool: { readonly name: string; readonly annotations?: Readonly<Record<string, unknown>> },
): boolean {
  const { tool_names: names, read_only: readOnly } = filter;
  if (isEmptyFilter(filter) || (names && !names.includes(tool.name))) return false;
  return typeof readOnly !== "boolean" || (tool.annotations?.readOnlyHint === true) === readOnly;
}
