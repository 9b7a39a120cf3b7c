import { useEffect } from "preact/hooks";
import type {
  McpApprovalRequest,
  McpCallItem,
  McpItem,
  McpListToolsItem,
} from "../../api/responses/mcp-items.js";
import type { ConversationObject } from "../../api/responses/response-schema.js";
import { isShownImage } from "../attachments/attachment.js";
import { CodeBlock } from "../markdown/code-block.js";
import { announce } from "../parts/announcer.js";
import { Notice } from "../parts/notice.js";
import { useAction } from "../parts/use-action.js";
import { mayWrite } from "../session.js";
import { indentJson } from "./indent-json.js";
import { type Decision, decide } from "./tool-actions.js";
import { type AnswerItem, findApprovalOf } from "./turns.js";

interface McpItemViewProps {
  readonly conversation: ConversationObject;
  readonly item: McpItem;
  /** All items of the answer. */
  readonly items: readonly AnswerItem[];
  /** Whether more of the answer will arrive. */
  readonly isStreaming: boolean;
}

/** An item of an MCP server: a call, a request for approval, or a list of tools that failed. */
export function McpItemView({ conversation, item, items, isStreaming }: McpItemViewProps) {
  switch (item.type) {
    case "mcp_call":
      return <McpCallView call={item} isStreaming={isStreaming} />;
    case "mcp_approval_request":
      return (
        <ApprovalView
          conversation={conversation}
          request={item}
          items={items}
          isStreaming={isStreaming}
        />
      );
    case "mcp_list_tools":
      return <FailedList list={item} />;
    case "mcp_approval_response":
      return null;
  }
}

function FailedList({ list }: { readonly list: McpListToolsItem }) {
  if (list.error === null) return null;
  return (
    <p class="hint tool-failure">
      The tools of <code>{list.server_label}</code> are missing: {list.error}
    </p>
  );
}

/** A call of an MCP server's tool, folded: its arguments, and its result or error. */
function McpCallView({
  call,
  isStreaming,
}: {
  readonly call: McpCallItem;
  readonly isStreaming: boolean;
}) {
  const { output, error, images = [] } = call;
  return (
    <article class="tool-call" aria-label={`Tool call: ${call.server_label}, ${call.name}`}>
      <details>
        <summary>
          <CalledTool tool={call} />{" "}
          <span class="call-state">{describeState(call, isStreaming)}</span>
        </summary>
        <CodeBlock code={indentJson(call.arguments)} language="json" />
        {output !== null && output !== "" && (
          <>
            <h3>Result</h3>
            <CodeBlock code={indentJson(output)} language="json" />
          </>
        )}
      </details>
      {error !== null && <p class="tool-failure">{error}</p>}
      {images.filter(isShownImage).map((url, index) => (
        <img key={index} src={url} alt={`Result of ${call.name}, part ${index + 1}`} />
      ))}
    </article>
  );
}

function CalledTool({ tool }: { readonly tool: McpCallItem | McpApprovalRequest }) {
  return (
    <>
      Tool call: <code>{`${tool.server_label}.${tool.name}`}</code>
    </>
  );
}

function describeState({ status }: McpCallItem, isStreaming: boolean): string {
  switch (status) {
    case "completed":
      return "Completed";
    case "failed":
      return "Failed";
    case "incomplete":
      return "Cancelled";
    default:
      return isStreaming ? "Running…" : "Interrupted: the call may have taken effect";
  }
}

type ApprovalViewProps = McpItemViewProps & { readonly request: McpApprovalRequest };

/** A request to approve a call, with its arguments. */
function ApprovalView({
  conversation,
  request,
  items,
  isStreaming,
}: Omit<ApprovalViewProps, "item">) {
  const approval = findApprovalOf(items, request);
  const hasRun = items.some(
    (item) => item.type === "mcp_call" && item.approval_request_id === request.id,
  );
  const action = useAction();
  const isOpen = approval === undefined && !hasRun;
  useEffect(() => {
    if (isOpen) announce(`Approval needed: ${request.name}`);
  }, [isOpen, request.name]);
  if (hasRun) return null;
  const button = (label: string, decision: Decision, kind = "") => (
    <button
      type="button"
      class={kind}
      disabled={action.isBusy}
      onClick={() => action.run(() => decide(conversation, request, decision))}
    >
      {label}
    </button>
  );
  return (
    <article
      class="tool-call"
      aria-label={`Approval of a tool call: ${request.server_label}, ${request.name}`}
    >
      <details open={isOpen}>
        <summary>
          <CalledTool tool={request} />{" "}
          <span class="call-state">{describeApproval(approval?.approve)}</span>
        </summary>
        <CodeBlock code={indentJson(request.arguments)} language="json" />
      </details>
      {isOpen && !isStreaming && mayWrite() && (
        <div class="actions">
          {button("Allow once", "allow-once", "primary")}
          {button("Allow in this chat", "allow-in-conversation")}
          {button("Always allow", "allow-always")}
          {button("Deny", "deny")}
        </div>
      )}
      {action.errorMessage !== undefined && <Notice message={action.errorMessage} />}
    </article>
  );
}

function describeApproval(approve: boolean | undefined): string {
  if (approve === undefined) return "Needs approval";
  return approve ? "Approved" : "Denied";
}
