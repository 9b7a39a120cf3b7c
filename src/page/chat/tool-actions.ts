import type { McpApprovalRequest } from "../../api/responses/mcp-items.js";
import type { ConversationObject } from "../../api/responses/response-schema.js";
import { changeFamily, changeMetadata } from "./conversations.js";
import { serversOf, withAllowed, withServers } from "./server-tools.js";
import { showChanged, submitItem, thread } from "./thread.js";
import { allowAlways, newServers } from "./tool-servers.js";

/** Returns the servers that are switched on in the shown conversation. */
export function currentServers(): readonly string[] {
  const shown = thread.value;
  return shown.state === "open" ? serversOf(shown.conversation.metadata) : newServers.value;
}

/** Switches a server on or off in the shown conversation and its branches. @throws {ApiError} */
export async function switchServer(name: string, isOn: boolean): Promise<void> {
  const others = currentServers().filter((one) => one !== name);
  const names = isOn ? [...others, name] : others;
  const shown = thread.value;
  if (shown.state !== "open") {
    newServers.value = names;
    return;
  }
  const changed = await changeFamily(shown.conversation, (metadata) =>
    withServers(metadata, names),
  );
  changed.forEach(showChanged);
}

/** Decision about a call. */
export type Decision = "allow-once" | "allow-in-conversation" | "allow-always" | "deny";

/** Answers a request for approval, and continues the answer. @throws {ApiError} */
export async function decide(
  conversation: ConversationObject,
  request: McpApprovalRequest,
  decision: Decision,
): Promise<void> {
  if (decision === "allow-always") allowAlways(request);
  const changed =
    decision === "allow-in-conversation"
      ? await replaceMetadata(conversation, withAllowed(conversation.metadata, request))
      : conversation;
  await submitItem(changed, {
    type: "mcp_approval_response",
    approval_request_id: request.id,
    approve: decision !== "deny",
  });
}

async function replaceMetadata(
  { id }: ConversationObject,
  metadata: ConversationObject["metadata"],
): Promise<ConversationObject> {
  const changed = await changeMetadata(id, metadata);
  showChanged(changed);
  return changed;
}
