import { createRefusal } from "../../core/errors.js";
import { preview } from "../../validation/preview.js";
import { isCallOutput, type StoredItem } from "./item-schema.js";
import type { McpApprovalRequest, McpApprovalResponse } from "./mcp-items.js";
import type { SelectedServer } from "./mcp-tools.js";

/**
 * Finds the approved calls that have not run: of the approvals since the model's last answer. An
 * approved call runs at most once.
 * @param items the whole conversation, with the request's input
 * @param servers selected MCP servers of the request
 * @throws {GgufdError} `invalid_request` for an approval of an unknown request, or of a call of a
 *   server that the request does not select
 */
export function findApprovedCalls(
  items: readonly StoredItem[],
  servers: readonly SelectedServer[],
): readonly McpApprovalRequest[] {
  const requests = new Map<string, McpApprovalRequest>();
  for (const response of findLatestApprovals(items)) {
    const request = findRequest(items, response);
    if (!response.approve || hasRun(items, request)) continue;
    expectServer(servers, request);
    requests.set(request.id, request);
  }
  return [...requests.values()];
}

function findLatestApprovals(items: readonly StoredItem[]): readonly McpApprovalResponse[] {
  const lastOutput = items.findLastIndex(isOutput);
  return items.slice(lastOutput + 1).filter((item) => item.type === "mcp_approval_response");
}

function isOutput(item: StoredItem): boolean {
  if (item.type === "message") return item.role === "assistant";
  return item.type !== "mcp_approval_response" && !isCallOutput(item);
}

function findRequest(
  items: readonly StoredItem[],
  { approval_request_id: id }: McpApprovalResponse,
): McpApprovalRequest {
  for (const item of items) {
    if (item.type === "mcp_approval_request" && item.id === id) return item;
  }
  const reason = `expected the id of an mcp_approval_request of the conversation as approval_request_id, got ${preview(id)}`;
  throw createRefusal("invalid_request", [{ field: "input", reason }]);
}

/** Whether a conversation has the call that a request asked approval for. */
export function hasRun(items: readonly StoredItem[], { id }: McpApprovalRequest): boolean {
  return items.some((item) => item.type === "mcp_call" && item.approval_request_id === id);
}

function expectServer(
  servers: readonly SelectedServer[],
  { server_label: label, name }: McpApprovalRequest,
): void {
  if (servers.some((server) => server.label === label)) return;
  const reason = `expected a tool of the type mcp with the server_label ${preview(label)}, because a call of its tool ${preview(name)} was approved`;
  throw createRefusal("invalid_request", [{ field: "tools", reason }]);
}
