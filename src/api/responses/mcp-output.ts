import type { ResultImage } from "../../core/tool-servers.js";
import { createId } from "./create-id.js";
import type { UnnumberedEvent } from "./event-schema.js";
import type { ItemStatus, OutputItem } from "./item-schema.js";
import type { McpApprovalRequest, McpCallItem, McpListToolsItem } from "./mcp-items.js";
import type { ClosedItem, OpenItem } from "./output-items.js";

/** MCP server and the name of its tool, in an answer. */
export interface CalledTool {
  readonly label: string;
  readonly name: string;
}

/** End of a call. */
export type CallOutcome =
  | {
      readonly status: "completed";
      readonly output: string;
      readonly images: readonly ResultImage[];
    }
  | { readonly status: "failed" | "incomplete"; readonly error: string };

/** Error of a call that the token limit has cut off. */
const CUT_OFF_ERROR = "Not run: the token limit cut off the arguments.";

/** Error of a call that has been cancelled. */
export const CANCELLED_ERROR = "Cancelled: the call may have taken effect.";

/**
 * Call of an MCP server's tool while the model writes it. It closes with the status `calling`: its
 * outcome follows.
 */
export class OpenMcpCall implements OpenItem {
  readonly kind = "call";
  readonly #id = createId("mcp");
  readonly #tool: CalledTool;
  readonly #outputIndex: number;
  readonly #approvalRequestId: string | null;
  #arguments = "";

  /** @param approvalRequestId id of the request that was approved; absent: none */
  constructor(outputIndex: number, tool: CalledTool, approvalRequestId: string | null = null) {
    this.#tool = tool;
    this.#outputIndex = outputIndex;
    this.#approvalRequestId = approvalRequestId;
  }

  open(): readonly UnnumberedEvent[] {
    const output_index = this.#outputIndex;
    return [
      { type: "response.output_item.added", output_index, item: this.#item("in_progress") },
      { type: "response.mcp_call.in_progress", output_index, item_id: this.#id },
    ];
  }

  add(text: string): readonly UnnumberedEvent[] {
    this.#arguments += text;
    const place = { output_index: this.#outputIndex, item_id: this.#id };
    return [{ type: "response.mcp_call_arguments.delta", ...place, delta: text }];
  }

  close(status: ItemStatus): ClosedItem {
    const output_index = this.#outputIndex;
    if (status !== "completed") {
      const item: McpCallItem = { ...this.#item("incomplete"), error: CUT_OFF_ERROR };
      return { events: [{ type: "response.output_item.done", output_index, item }], item };
    }
    const place = { output_index, item_id: this.#id, arguments: this.#arguments };
    return {
      events: [{ type: "response.mcp_call_arguments.done", ...place }],
      item: this.#item("calling"),
    };
  }

  #item(status: McpCallItem["status"]): McpCallItem {
    return {
      type: "mcp_call",
      id: this.#id,
      server_label: this.#tool.label,
      name: this.#tool.name,
      arguments: this.#arguments,
      approval_request_id: this.#approvalRequestId,
      output: null,
      error: null,
      status,
    };
  }
}

/** Request to approve a call, which is sent when the model has written the call. */
export class OpenApprovalRequest implements OpenItem {
  readonly kind = "call";
  readonly #tool: CalledTool;
  readonly #outputIndex: number;
  #arguments = "";

  constructor(outputIndex: number, tool: CalledTool) {
    this.#tool = tool;
    this.#outputIndex = outputIndex;
  }

  open(): readonly UnnumberedEvent[] {
    return [];
  }

  add(text: string): readonly UnnumberedEvent[] {
    this.#arguments += text;
    return [];
  }

  /** A call that is cut off cannot be approved; it closes as an incomplete call. */
  close(status: ItemStatus): ClosedItem {
    const output_index = this.#outputIndex;
    const item = status === "completed" ? this.#request() : this.#cutOffCall();
    return {
      events: [
        { type: "response.output_item.added", output_index, item },
        { type: "response.output_item.done", output_index, item },
      ],
      item,
    };
  }

  #request(): McpApprovalRequest {
    const { label, name } = this.#tool;
    const called = { server_label: label, name, arguments: this.#arguments };
    return { type: "mcp_approval_request", id: createId("mcpr"), ...called };
  }

  #cutOffCall(): OutputItem {
    const call = new OpenMcpCall(this.#outputIndex, this.#tool);
    call.add(this.#arguments);
    return call.close("incomplete").item;
  }
}

/** Builds the events of a list of tools. */
export function printToolList(
  item: McpListToolsItem,
  output_index: number,
): readonly UnnumberedEvent[] {
  const place = { output_index, item_id: item.id };
  const begun: McpListToolsItem = { ...item, tools: [], error: null };
  const outcome = item.error === null ? "completed" : "failed";
  return [
    { type: "response.output_item.added", output_index, item: begun },
    { type: "response.mcp_list_tools.in_progress", ...place },
    { type: `response.mcp_list_tools.${outcome}`, ...place },
    { type: "response.output_item.done", output_index, item },
  ];
}

/** Adds the outcome to a call. */
export function withOutcome(call: McpCallItem, outcome: CallOutcome): McpCallItem {
  if (outcome.status !== "completed") return { ...call, ...outcome };
  const { status, output, images } = outcome;
  return {
    ...call,
    status,
    output,
    ...(images.length > 0 && {
      images: images.map(({ mimeType, data }) => `data:${mimeType};base64,${data}`),
    }),
  };
}

/** Builds the events of a call that has ended. */
export function printCallEnd(item: McpCallItem, output_index: number): readonly UnnumberedEvent[] {
  const place = { output_index, item_id: item.id };
  const done = { type: "response.output_item.done", output_index, item } as const;
  if (item.status === "incomplete") return [done];
  const type =
    item.status === "completed" ? "response.mcp_call.completed" : "response.mcp_call.failed";
  return [{ type, ...place }, done];
}
