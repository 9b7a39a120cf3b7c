import type { ToolCall } from "../../core/generation-request.js";
import type { MessageContent } from "../../core/media.js";
import { toContent } from "./input-content.js";
import type { InputPart, StoredItem } from "./item-schema.js";
import { hasRun } from "./mcp-approvals.js";
import type { McpApprovalRequest, McpCallItem, McpItem } from "./mcp-items.js";
import { toMcpOfferedName } from "./tools.js";

/** Call of an MCP server's tool with its result, for the model. */
export interface CallWithResult {
  readonly call: ToolCall;
  readonly content: MessageContent;
}

const NOT_APPROVED = "Not run: the user has not approved this call.";
const INTERRUPTED = "Interrupted: the server stopped during this call. It may have taken effect.";

/**
 * Translates the items of MCP servers in a conversation to calls with results. A request for
 * approval becomes a call of its own only if the call has not run.
 */
export class McpHistory {
  readonly #items: readonly StoredItem[];

  /** @param items the whole conversation */
  constructor(items: readonly StoredItem[]) {
    this.#items = items;
  }

  /**
   * @param pathOf returns the path of a field of the item in the request, for errors
   * @returns `undefined` if the item is no call, or another item has the result
   */
  toCall(item: McpItem, pathOf: (field: string) => string): CallWithResult | undefined {
    switch (item.type) {
      case "mcp_list_tools":
      case "mcp_approval_response":
        return undefined;
      case "mcp_approval_request":
        return hasRun(this.#items, item)
          ? undefined
          : { call: toToolCall(item), content: this.#describeDecision(item.id) };
      case "mcp_call":
        return { call: toToolCall(item), content: toResultContent(item, pathOf) };
    }
  }

  #describeDecision(requestId: string): string {
    for (const item of this.#items) {
      if (item.type !== "mcp_approval_response" || item.approval_request_id !== requestId) continue;
      if (item.approve) break;
      return item.reason
        ? `Not run: the user denied this call: ${item.reason}`
        : "Not run: the user denied this call.";
    }
    return NOT_APPROVED;
  }
}

function toToolCall(item: McpCallItem | McpApprovalRequest): ToolCall {
  const { id, server_label, name } = item;
  return { id, name: toMcpOfferedName(server_label, name), arguments: item.arguments };
}

function toResultContent(
  { output, error, status, images = [] }: McpCallItem,
  pathOf: (field: string) => string,
): MessageContent {
  if (error) return `Error: ${error}`;
  if (status !== "completed") return INTERRUPTED;
  if (images.length === 0) return output ?? "";
  const parts: InputPart[] = [
    ...(output ? [{ type: "input_text" as const, text: output }] : []),
    ...images.map((url) => ({
      type: "input_image" as const,
      image_url: url,
      detail: "auto" as const,
    })),
  ];
  return toContent(parts, () => pathOf("images"));
}
