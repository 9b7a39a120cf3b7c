import type { OutputItem, StoredItem } from "../../api/responses/item-schema.js";
import type { McpApprovalRequest, McpApprovalResponse } from "../../api/responses/mcp-items.js";
import type { FilePart } from "../attachments/attachment.js";
import { joinContinued } from "./continued-items.js";

/** A question: a message of the user, or a system message. */
export interface Question {
  readonly type: "question";
  readonly item: InputMessage;
}

/**
 * An answer: all output of the model up to the next question, including the outputs of its calls.
 */
export interface Answer {
  readonly type: "answer";
  readonly items: readonly AnswerItem[];
}

export type Turn = Question | Answer;

type InputMessage = Exclude<
  Extract<StoredItem, { readonly type: "message" }>,
  { readonly role: "assistant" }
>;

/** A part of an answer, or the output of a call. */
export type AnswerItem = Exclude<StoredItem, InputMessage>;

export type CallOutput = Extract<
  StoredItem,
  { readonly type: "function_call_output" | "custom_tool_call_output" }
>;

export type ToolCall = Extract<OutputItem, { readonly type: "function_call" | "custom_tool_call" }>;

/** Details of an answer, stored with its last item. */
export type AnswerRecord = NonNullable<OutputItem["response"]>;

/** Groups the items of a conversation into turns. @param items in order */
export function groupIntoTurns(items: readonly StoredItem[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const item of items) {
    if (isQuestion(item)) {
      turns.push({ type: "question", item });
      continue;
    }
    const last = turns.at(-1);
    if (last?.type === "answer")
      turns[turns.length - 1] = { ...last, items: [...last.items, item] };
    else turns.push({ type: "answer", items: [item] });
  }
  return turns;
}

export function isQuestion(item: StoredItem): item is InputMessage {
  return item.type === "message" && item.role !== "assistant";
}

/** Returns the text of an answer, without reasoning and calls. */
export function textOfAnswer({ items }: Pick<Answer, "items">): string {
  return joinContinued(items)
    .flatMap((item) => (item.type === "message" ? [textOfMessage(item)] : []))
    .join("\n\n");
}

/** The texts of a message. */
export function textOfMessage({
  content,
}: Extract<StoredItem, { readonly type: "message" }>): string {
  return content
    .flatMap((part) => {
      if (part.type === "refusal") return [part.refusal];
      return "text" in part ? [part.text] : [];
    })
    .join("\n\n");
}

/** Returns the content of a turn that cannot be rendered: its texts, or else its items as JSON. */
export function toRawText(turn: Turn): string {
  try {
    const text = turn.type === "question" ? textOfMessage(turn.item) : textOfAnswer(turn);
    if (text !== "") return text;
  } catch {
    // An item of an unexpected form.
  }
  return JSON.stringify(turn.type === "question" ? turn.item : turn.items, undefined, 2);
}

/** Returns the files of a question, as they were sent. */
export function filesOfQuestion({ content }: InputMessage): readonly FilePart[] {
  return content.filter((part) => part.type !== "input_text");
}

/** Returns the name of a text file to show. */
export function fileNameOf({ filename }: { readonly filename?: string | undefined }): string {
  return filename ?? "Unnamed file";
}

/** Returns the text of reasoning in any stored form. */
export function textOfReasoning(item: Extract<StoredItem, { readonly type: "reasoning" }>): string {
  return [...(item.content ?? []), ...item.summary].map(({ text }) => text).join("\n\n");
}

export function isCall(item: StoredItem): item is ToolCall {
  return item.type === "function_call" || item.type === "custom_tool_call";
}

/** Finds the output of a call; `undefined`: none yet. */
export function outputOfCall(
  items: readonly StoredItem[],
  { call_id }: Pick<ToolCall, "call_id">,
): CallOutput | undefined {
  return items.find(
    (item): item is CallOutput =>
      (item.type === "function_call_output" || item.type === "custom_tool_call_output") &&
      item.call_id === call_id,
  );
}

/** Finds the decision about a call; `undefined`: none yet. */
export function findApprovalOf(
  items: readonly StoredItem[],
  { id }: Pick<McpApprovalRequest, "id">,
): McpApprovalResponse | undefined {
  return items.find(
    (item): item is McpApprovalResponse =>
      item.type === "mcp_approval_response" && item.approval_request_id === id,
  );
}

/** Returns the calls without an output, and the requests for approval without a decision. */
export function findOpenCalls(
  items: readonly StoredItem[],
): readonly (ToolCall | McpApprovalRequest)[] {
  return items.filter((item): item is ToolCall | McpApprovalRequest => {
    if (item.type === "mcp_approval_request") return findApprovalOf(items, item) === undefined;
    return isCall(item) && outputOfCall(items, item) === undefined;
  });
}

/**
 * Whether the model's answer is due, because the last item is a question, the output of a call, or
 * the decision about one.
 */
export function awaitsAnswer(items: readonly StoredItem[]): boolean {
  const last = items.at(-1);
  if (last === undefined) return false;
  return isQuestion(last) || "output" in last || last.type === "mcp_approval_response";
}

/**
 * Returns the details of the last response of an answer; an answer with calls has several
 * responses.
 */
export function recordOf(items: readonly StoredItem[]): AnswerRecord | undefined {
  const last = items.findLast((item) => "response" in item && item.response !== undefined);
  return last !== undefined && "response" in last ? last.response : undefined;
}

/** Lists the output of the model after the last question or output of a call. */
export function listLastOutput(items: readonly StoredItem[]): readonly StoredItem[] {
  const lastInput = items.findLastIndex((item) => isQuestion(item) || "output" in item);
  return items.slice(lastInput + 1);
}

/** Returns the index of an answer's last text, with all parts that it was continued in. */
export function findLastText(items: readonly StoredItem[]): number {
  let index = items.findLastIndex(({ type }) => type === "message");
  if (index === -1) return items.length;
  for (; index > 0; index--) {
    const previous = items[index - 1];
    if (previous?.type !== "message" || previous.status !== "incomplete") break;
  }
  return index;
}

/** Returns the last text of an answer, which can be edited. */
export function findEditableText(items: readonly AnswerItem[]): string {
  return textOfAnswer({ items: items.slice(findLastText(items)) });
}
