/**
 * Items of tools of MCP servers, as defined by OpenAI: their stored form, and their form in the
 * input of a request.
 */
import { z } from "zod";
import { boundedArray } from "../../validation/bounded-collections.js";
import { nonEmptyText, oneOf, text, trueOrFalse } from "../../validation/fields.js";
import { createId } from "./create-id.js";

const MAX_TOOLS = 1_000;
/** Maximum images in the result of a call. */
const MAX_IMAGES = 16;

const CALL_STATUSES = ["in_progress", "calling", "completed", "incomplete", "failed"] as const;

const listedTool = z.object({
  name: z.string(),
  description: z.string().nullable(),
  input_schema: z.record(z.string(), z.unknown()),
  annotations: z.record(z.string(), z.unknown()).nullable(),
});

const mcpListTools = z.object({
  type: z.literal("mcp_list_tools"),
  id: z.string(),
  server_label: z.string(),
  tools: z.array(listedTool),
  error: z.string().nullable().meta({ description: "Why the tools could not be listed." }),
});

const mcpCall = z.object({
  type: z.literal("mcp_call"),
  id: z.string(),
  server_label: z.string(),
  name: z.string(),
  arguments: z.string().meta({ description: "The arguments, as a JSON string." }),
  approval_request_id: z.string().nullable(),
  output: z.string().nullable(),
  error: z.string().nullable(),
  status: z.enum(CALL_STATUSES).meta({
    description:
      "`calling` in a stored conversation: the server stopped during the call, which may have taken effect.",
  }),
  images: z
    .array(z.string())
    .optional()
    .meta({ description: "Extension: images in the result, as data URLs." }),
});

const mcpApprovalRequest = z.object({
  type: z.literal("mcp_approval_request"),
  id: z.string(),
  server_label: z.string(),
  name: z.string(),
  arguments: z.string().meta({ description: "The arguments, as a JSON string." }),
});

/** Fields of items that a response generates. */
export const mcpOutputItems = { mcpListTools, mcpCall, mcpApprovalRequest };

export const mcpApprovalResponse = z
  .object({
    type: z.literal("mcp_approval_response"),
    id: z.string(),
    approval_request_id: z.string(),
    approve: z.boolean(),
    reason: z.string().nullable(),
  })
  .meta({ id: "ResponseMcpApprovalResponse" });

export type McpListToolsItem = z.infer<typeof mcpListTools>;
export type McpCallItem = z.infer<typeof mcpCall>;
export type McpApprovalRequest = z.infer<typeof mcpApprovalRequest>;
export type McpApprovalResponse = z.infer<typeof mcpApprovalResponse>;
export type McpItem = McpListToolsItem | McpCallItem | McpApprovalRequest | McpApprovalResponse;

export const MCP_ITEM_TYPES = [
  "mcp_list_tools",
  "mcp_call",
  "mcp_approval_request",
  "mcp_approval_response",
] as const;

export function isMcpItem(item: { readonly type: string }): item is McpItem {
  return MCP_ITEM_TYPES.some((type) => type === item.type);
}

const itemId = nonEmptyText().nullish();

const calledTool = {
  server_label: nonEmptyText(),
  name: nonEmptyText(),
  arguments: text().meta({ description: "The arguments, as a JSON string." }),
};

/** Schemas of these items in a request. */
export const mcpInputItems = [
  z
    .looseObject({
      type: z.literal("mcp_list_tools"),
      id: itemId,
      server_label: nonEmptyText(),
      tools: boundedArray(
        z.array(
          z.looseObject({
            name: text(),
            description: text().nullish(),
            input_schema: z.record(z.string(), z.unknown(), { error: "expected a JSON schema" }),
            annotations: z.record(z.string(), z.unknown()).nullish(),
          }),
          { error: "expected an array of tools" },
        ),
        { max: MAX_TOOLS, of: "tools" },
      ),
      error: text().nullish(),
    })
    .meta({
      id: "ResponseEarlierMcpTools",
      description: "An earlier list of an MCP server's tools.",
    }),
  z
    .looseObject({
      type: z.literal("mcp_call"),
      id: itemId,
      ...calledTool,
      server_label: text().meta({ description: "Empty: the model called an unknown tool." }),
      approval_request_id: text().nullish(),
      output: text().nullish(),
      error: text().nullish(),
      status: oneOf(CALL_STATUSES).nullish(),
      images: boundedArray(z.array(text(), { error: "expected an array of data URLs" }), {
        max: MAX_IMAGES,
        of: "images",
      }).nullish(),
    })
    .meta({
      id: "ResponseEarlierMcpCall",
      description: "An earlier call of an MCP server's tool.",
    }),
  z
    .looseObject({ type: z.literal("mcp_approval_request"), id: nonEmptyText(), ...calledTool })
    .meta({
      id: "ResponseEarlierApprovalRequest",
      description: "An earlier request to approve a call.",
    }),
  z
    .looseObject({
      type: z.literal("mcp_approval_response"),
      id: itemId,
      approval_request_id: nonEmptyText().meta({
        description: "Id of an `mcp_approval_request`. Its call runs at most once.",
      }),
      approve: trueOrFalse(),
      reason: text().nullish().meta({ description: "Reason, which the model reads." }),
    })
    .meta({
      id: "ResponseApprovalResponse",
      description: "Approval or denial of a call of an MCP server's tool.",
    }),
] as const;

export type McpInputItem = z.output<(typeof mcpInputItems)[number]>;

/** Translates an item of a request to its stored form. */
export function toMcpItem(item: McpInputItem): McpItem {
  switch (item.type) {
    case "mcp_list_tools":
      return {
        type: item.type,
        id: item.id ?? createId("mcpl"),
        server_label: item.server_label,
        tools: item.tools.map(({ name, description, input_schema, annotations }) => ({
          name,
          description: description ?? null,
          input_schema,
          annotations: annotations ?? null,
        })),
        error: item.error ?? null,
      };
    case "mcp_call": {
      const { type, server_label, name, output, error, images } = item;
      return {
        type,
        id: item.id ?? createId("mcp"),
        server_label,
        name,
        arguments: item.arguments,
        approval_request_id: item.approval_request_id ?? null,
        output: output ?? null,
        error: error ?? null,
        status: item.status ?? (error ? "failed" : "completed"),
        ...(images && { images }),
      };
    }
    case "mcp_approval_request": {
      const { type, id, server_label, name } = item;
      return { type, id, server_label, name, arguments: item.arguments };
    }
    case "mcp_approval_response": {
      const { type, approval_request_id, approve } = item;
      const id = item.id ?? createId("mcpa");
      return { type, id, approval_request_id, approve, reason: item.reason ?? null };
    }
  }
}
