import type { OutputItem, StoredItem } from "../../api/responses/response-schema.js";

/** A question: what a user, or who set the model up, has said. */
export interface Question {
  readonly type: "question";
  readonly item: InputMessage;
}

/** An answer: everything of the model's up to the next question, and what came of its calls. */
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

/** What is said of an answer beside it: kept with its last item. */
export type AnswerRecord = NonNullable<OutputItem["response"]>;

/** The turns of a conversation. @param items in their order */
export function turnsOf(items: readonly StoredItem[]): readonly Turn[] {
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

function isQuestion(item: StoredItem): item is InputMessage {
  return item.type === "message" && item.role !== "assistant";
}

/** What the model has said in an answer, without its reasoning and its calls. */
export function textOfAnswer({ items }: Pick<Answer, "items">): string {
  return items
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
      return part.type === "input_image" ? [] : [part.text];
    })
    .join("\n\n");
}

/** What is written in a turn, for one that cannot be shown otherwise: its texts, or else its items as JSON. */
export function rawTextOf(turn: Turn): string {
  try {
    const text = turn.type === "question" ? textOfMessage(turn.item) : textOfAnswer(turn);
    if (text !== "") return text;
  } catch {
    // An item of a form that is not expected.
  }
  return JSON.stringify(turn.type === "question" ? turn.item : turn.items, undefined, 2);
}

/** The images of a question, as URLs. */
export function imagesOf({ content }: InputMessage): readonly string[] {
  return content.flatMap((part) => (part.type === "input_image" ? [part.image_url] : []));
}

/** The text of some reasoning, in whatever form it is kept. */
export function textOfReasoning(item: Extract<StoredItem, { readonly type: "reasoning" }>): string {
  return [...(item.content ?? []), ...item.summary].map(({ text }) => text).join("\n\n");
}

export function isCall(item: StoredItem): item is ToolCall {
  return item.type === "function_call" || item.type === "custom_tool_call";
}

/** What has come of a call; `undefined`: nothing yet. */
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

/** Calls that wait for someone to say what came of them. */
export function openCallsOf(items: readonly StoredItem[]): readonly ToolCall[] {
  return items.filter(isCall).filter((call) => outputOfCall(items, call) === undefined);
}

/** Whether the model is to go on: a question, or the output of a call, is the last item. */
export function awaitsAnswer(items: readonly StoredItem[]): boolean {
  const last = items.at(-1);
  return last !== undefined && (isQuestion(last) || "output" in last);
}

/** What is known of the last response of an answer; an answer with calls has several. */
export function recordOf(items: readonly StoredItem[]): AnswerRecord | undefined {
  const last = items.findLast((item) => "response" in item && item.response !== undefined);
  return last !== undefined && "response" in last ? last.response : undefined;
}
