import { createRefusal } from "../../core/errors.js";
import type {
  ChatMessage,
  GenerationRequest,
  ToolCall,
  ToolUse,
} from "../../core/generation-request.js";
import type { MessageContent } from "../../core/media.js";
import type { RequestedConstraint } from "../../core/output-constraint.js";
import { preview } from "../../validation/preview.js";
import { fromOpaqueReasoning } from "../answers/opaque-reasoning.js";
import { toCustomArguments } from "../fields/custom-tool.js";
import { createNoCallableToolError } from "../fields/hosted-tools.js";
import { toSampling } from "../fields/sampling.js";
import { toContent } from "./input-content.js";
import {
  type CallItem,
  type CallOutputItem,
  isCall,
  type ReasoningItem,
  type StoredItem,
} from "./item-schema.js";
import { isMcpItem, type McpItem } from "./mcp-items.js";
import { McpHistory } from "./mcp-messages.js";
import type { McpChoice } from "./mcp-tool-schema.js";
import type { ReasoningReport } from "./output-items.js";
import { toOutputText, toWrittenCall } from "./published-calls.js";
import { isPublishedType } from "./published-tools.js";
import type { ResponseRequest } from "./schema.js";
import {
  isMcpChoice,
  isNamedTool,
  listHostedTools,
  type NamedTool,
  type OfferedTool,
  toOfferedName,
} from "./tools.js";

/** Conversation that a response continues. */
export interface Conversation {
  /** Stored items of earlier responses or of the stored conversation. */
  readonly earlier: readonly StoredItem[];
  /** Items of the request itself. */
  readonly input: readonly StoredItem[];
}

/**
 * Translates a request of the Responses API for the engine.
 * @param offered result of `listOfferedTools` for the request's tools
 * @param id unique among the requests in flight
 * @throws {GgufdError} `invalid_request`
 */
export function toGenerationRequest(
  body: ResponseRequest,
  conversation: Conversation,
  offered: readonly OfferedTool[],
  id: string,
): GenerationRequest {
  return {
    id,
    prompt: {
      type: "chat",
      messages: toChatMessages(body, conversation),
      tools: body.tool_choice === "none" ? [] : offered.map(({ definition }) => definition),
      templateVariables: body.reasoning?.effort ? { reasoning_effort: body.reasoning.effort } : {},
      finalMessage: body.continue_final_message ? "continued" : "closed",
    },
    sampling: toSampling(body),
    stopping: {
      maxTokens: body.max_output_tokens,
      maxTokensField: "max_output_tokens",
      minTokens: 0,
      stop: [],
      ignoreEos: false,
      maxToolCalls: body.parallel_tool_calls === false ? 1 : undefined,
    },
    topLogProbabilities: toTopLogProbabilities(body),
    toolUse: toToolUse(body, offered),
    constraint: toConstraint(body),
    priority: body.priority,
  };
}

/** Determines the form in which the response reports reasoning. */
export function reasoningReportOf({ reasoning, include = [] }: ResponseRequest): ReasoningReport {
  return {
    as: reasoning?.summary ? "summary" : "content",
    opaque: include.includes("reasoning.encrypted_content") ? "added" : "absent",
  };
}

/** Returns the request field that names the conversation to continue. */
export function originOf({ conversation }: ResponseRequest): string {
  return conversation === undefined ? "previous_response_id" : "conversation";
}

function toChatMessages(
  body: ResponseRequest,
  { earlier, input }: Conversation,
): readonly ChatMessage[] {
  const { instructions } = body;
  const origin = originOf(body);
  const pathOf: PathOf = (index, field) =>
    index < earlier.length ? origin : `input.${index - earlier.length}.${field}`;
  const messages = toMessages([...earlier, ...input], pathOf);
  if (messages.length === 0) {
    const reason = "expected a string or at least one item, because there is no earlier response";
    throw createRefusal("invalid_request", [{ field: "input", reason }]);
  }
  if (body.continue_final_message) expectContinuable(messages);
  return instructions === undefined
    ? messages
    : [{ role: "system", content: instructions }, ...messages];
}

/** @throws {GgufdError} `invalid_request` */
function expectContinuable(messages: readonly ChatMessage[]): void {
  const last = messages.at(-1);
  if (last?.role === "assistant" && last.toolCalls === undefined) return;
  const reason =
    "expected false, because the conversation does not end with an assistant message without tool calls";
  throw createRefusal("invalid_request", [{ field: "continue_final_message", reason }]);
}

/** @returns `undefined`: no log-probabilities are requested */
function toTopLogProbabilities({
  include = [],
  top_logprobs: top = 0,
}: ResponseRequest): number | undefined {
  return top > 0 || include.includes("message.output_text.logprobs") ? top : undefined;
}

/**
 * Translates `tool_choice`: whether the model may or must call tools, and which.
 * @throws {GgufdError} `invalid_request` for tools that are not among the request's, and if a call
 *   is required but only hosted tools are available
 */
function toToolUse(
  { tool_choice: choice = "auto", tools = [] }: ResponseRequest,
  offered: readonly OfferedTool[],
): ToolUse {
  if (choice === "none" || choice === "auto") return { demand: "optional" };
  if (choice === "required") {
    if (offered.length > 0) return { demand: "required" };
    throw createNoCallableToolError(listHostedTools(tools));
  }
  if (choice.type === "allowed_tools") {
    const callable = choice.tools.flatMap((tool, index) => {
      const field = `tool_choice.tools.${index}`;
      if (isNamedTool(tool)) return [resolveToolName(offered, `${field}.name`, tool)];
      if (isMcpChoice(tool)) return listServerTools(offered, tool);
      return isPublishedType(tool.type) ? [resolveToolType(offered, `${field}.type`, tool)] : [];
    });
    if (choice.mode === "auto") return { demand: "optional", callable };
    if (callable.length > 0) return { demand: "required", callable };
    const reason = `expected a tool that the model can call, got ${preview(choice.tools)}`;
    throw createRefusal("invalid_request", [{ field: "tool_choice.tools", reason }]);
  }
  if (choice.type === "mcp") {
    const callable = listServerTools(offered, choice);
    if (callable.length > 0) return { demand: "required", callable };
    const reason = `expected a tool of an MCP server among the request's tools, got ${preview(choice)}`;
    throw createRefusal("invalid_request", [{ field: "tool_choice", reason }]);
  }
  const name = isNamedTool(choice)
    ? resolveToolName(offered, "tool_choice.name", choice)
    : resolveToolType(offered, "tool_choice.type", choice);
  return { demand: "required", callable: [name], calls: "one" };
}

/** Returns the name of a chosen tool in the prompt. */
function resolveToolName(
  offered: readonly OfferedTool[],
  field: string,
  { name, namespace }: NamedTool,
): string {
  const found = offered.find(
    (tool) => tool.name === name && (tool.namespace ?? null) === (namespace ?? null),
  );
  if (found !== undefined) return found.definition.name;
  const reason = `expected the name of one of the tools, got ${preview(name)}`;
  throw createRefusal("invalid_request", [{ field, reason }]);
}

/** Returns the names in the prompt of an MCP server's tools, or of the chosen one. */
function listServerTools(
  offered: readonly OfferedTool[],
  { server_label, name }: McpChoice,
): readonly string[] {
  return offered
    .filter((tool) => tool.kind === "mcp" && tool.namespace === server_label)
    .filter((tool) => !name || tool.name === name)
    .map(({ definition }) => definition.name);
}

/** Returns the name in the prompt of a published tool that is chosen by its type. */
function resolveToolType(
  offered: readonly OfferedTool[],
  field: string,
  { type }: { readonly type: string },
): string {
  const found = offered.find(({ kind }) => kind === type);
  if (found !== undefined) return found.definition.name;
  const reason = `expected the type of one of the tools, got ${preview(type)}`;
  throw createRefusal("invalid_request", [{ field, reason }]);
}

function toConstraint({ text }: ResponseRequest): RequestedConstraint | undefined {
  const format = text?.format;
  if (!format || format.type === "text") return undefined;
  if (format.type === "json_object") {
    return {
      field: "text.format",
      constraint: { type: "json-schema", schema: { type: "object" } },
    };
  }
  const { schema } = format;
  return { field: "text.format.schema", constraint: { type: "json-schema", schema } };
}

/** Assistant message, merged from successive reasoning, text and calls. */
interface Answer {
  readonly role: "assistant";
  content: string;
  reasoning?: string;
  toolCalls?: ToolCall[];
}

/** Returns the path of an item's field in the request, for errors. */
type PathOf = (index: number, field: string) => string;

/**
 * Translates the items of a conversation to messages. Successive reasoning, text and calls form one
 * assistant message, as the model wrote them, and so do an incomplete item and its continuation.
 * @throws {GgufdError} `invalid_request` for a call output that precedes its call, and for
 *   reasoning encrypted by another server
 */
function toMessages(items: readonly StoredItem[], pathOf: PathOf): readonly ChatMessage[] {
  const messages: ChatMessage[] = [];
  const names = new Map<string, string>();
  const history = new McpHistory(items);
  let answer: Answer | undefined;
  const findOrStartAnswer = (canJoin: (answer: Answer) => boolean): Answer => {
    if (answer === undefined || !canJoin(answer)) {
      answer = { role: "assistant", content: "" };
      messages.push(answer);
    }
    return answer;
  };
  for (const [index, item] of items.entries()) {
    const continues = isContinuation(item, items[index - 1]);
    if (item.type === "reasoning") {
      const text = decodeReasoning(item, pathOf(index, "encrypted_content"));
      const joined = findOrStartAnswer(isOnlyReasoning);
      joined.reasoning = continues
        ? (joined.reasoning ?? "") + text
        : joinLines(joined.reasoning, text);
    } else if (item.type === "message" && item.role === "assistant") {
      findOrStartAnswer((started) => continues || isOnlyReasoning(started)).content += item.content
        .map((part) => (part.type === "refusal" ? part.refusal : part.text))
        .join("\n");
    } else if (isCall(item)) {
      const call = toToolCall(item);
      const joined = findOrStartAnswer(() => true);
      joined.toolCalls ??= [];
      joined.toolCalls.push(call);
      names.set(call.id, call.name);
    } else if (isMcpItem(item)) {
      const run = history.toCall(item, (field) => pathOf(index, field));
      if (run === undefined) continue;
      const { call, content } = run;
      const joined = findOrStartAnswer(() => true);
      joined.toolCalls = [...(joined.toolCalls ?? []), call];
      answer = undefined;
      messages.push({ role: "tool", content, toolCallId: call.id, name: call.name });
    } else {
      answer = undefined;
      messages.push(toMessage(item, names, (field) => pathOf(index, field)));
    }
  }
  return messages;
}

/**
 * Restores a call to the form in which the model wrote it: the offered name, and the arguments as
 * text.
 */
function toToolCall(item: CallItem): ToolCall {
  const id = item.call_id;
  switch (item.type) {
    case "function_call":
      return { id, name: toOfferedName(item), arguments: item.arguments };
    case "custom_tool_call":
      return { id, name: toOfferedName(item), arguments: toCustomArguments(item.input) };
    default:
      return { id, ...toWrittenCall(item) };
  }
}

function toMessage(
  item: Exclude<StoredItem, ReasoningItem | CallItem | McpItem | { role: "assistant" }>,
  names: ReadonlyMap<string, string>,
  pathOf: (field: string) => string,
): ChatMessage {
  if (item.type === "message") {
    const content = toContent(item.content, (part) => pathOf(`content.${part}`));
    return { role: item.role === "user" ? "user" : "system", content };
  }
  const { call_id: toolCallId } = item;
  const name = names.get(toolCallId);
  if (name === undefined) {
    const callType = item.type.replace(/_output$/, "");
    const reason = `expected the call_id of a ${callType} before it, got ${preview(toolCallId)}`;
    throw createRefusal("invalid_request", [{ field: pathOf("call_id"), reason }]);
  }
  return { role: "tool", content: toOutputContent(item, pathOf), toolCallId, name };
}

function toOutputContent(item: CallOutputItem, pathOf: (field: string) => string): MessageContent {
  if (item.type !== "function_call_output" && item.type !== "custom_tool_call_output") {
    return toOutputText(item);
  }
  const { output } = item;
  return typeof output === "string"
    ? output
    : toContent(output, (part) => pathOf(`output.${part}`));
}

/** Whether an item continues the previous one, which ended early (`continue_final_message`). */
function isContinuation(item: StoredItem, previous: StoredItem | undefined): boolean {
  return (
    previous !== undefined &&
    previous.type === item.type &&
    "status" in previous &&
    previous.status === "incomplete"
  );
}

function isOnlyReasoning({ content, toolCalls }: Answer): boolean {
  return content === "" && toolCalls === undefined;
}

function joinParts(parts: readonly { readonly text: string }[]): string {
  return parts.map(({ text }) => text).join("\n");
}

/**
 * Returns the most complete text of a reasoning item: its content, else its encrypted content, else
 * its summary.
 */
function decodeReasoning(
  { content, summary, encrypted_content }: ReasoningItem,
  field: string,
): string {
  const opaque = encrypted_content ? fromOpaqueReasoning(encrypted_content) : "";
  if (opaque === undefined) {
    const reason = `expected the encrypted_content of a response of this server, got ${preview(encrypted_content)}`;
    throw createRefusal("invalid_request", [{ field, reason }]);
  }
  if (content !== undefined && content.length > 0) return joinParts(content);
  return opaque || joinParts(summary);
}

function joinLines(first: string | undefined, second: string): string {
  return first === undefined ? second : `${first}\n${second}`;
}
