import type { OutputText, StoredItem } from "../../api/responses/item-schema.js";

type InputRole = "user" | "system" | "developer";
type AnswerItem = Exclude<StoredItem, { readonly type: "message"; readonly role: InputRole }>;
type Message = Extract<AnswerItem, { readonly type: "message" }>;
type Reasoning = Extract<AnswerItem, { readonly type: "reasoning" }>;

/** Joins each text or reasoning that ended early with its continuation, to be shown as one item. */
export function joinContinued(items: readonly AnswerItem[]): readonly AnswerItem[] {
  const joined: AnswerItem[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    const whole = last && join(last, item);
    if (whole === undefined) joined.push(item);
    else joined[joined.length - 1] = whole;
  }
  return joined;
}

function join(item: AnswerItem, next: AnswerItem): AnswerItem | undefined {
  if (item.type === "message" && next.type === "message") {
    return item.status === "incomplete" ? joinMessages(item, next) : undefined;
  }
  if (item.type === "reasoning" && next.type === "reasoning") {
    return item.status === "incomplete" ? joinReasoning(item, next) : undefined;
  }
  return undefined;
}

function joinMessages(item: Message, next: Message): Message {
  const end = item.content.at(-1);
  const [beginning, ...others] = next.content;
  const content =
    end?.type === "output_text" && beginning?.type === "output_text"
      ? [...item.content.slice(0, -1), joinTexts(end, beginning), ...others]
      : [...item.content, ...next.content];
  // The id of the first item stays, so that the view keeps its element.
  return { ...next, id: item.id, content };
}

function joinTexts(one: OutputText, other: OutputText): OutputText {
  return {
    ...one,
    text: one.text + other.text,
    logprobs: [...one.logprobs, ...other.logprobs],
  };
}

function joinReasoning(item: Reasoning, next: Reasoning): Reasoning {
  const text = [...(item.content ?? []), ...(next.content ?? [])].map((part) => part.text).join("");
  return {
    ...next,
    id: item.id,
    content: [{ type: "reasoning_text", text }],
    summary: [...item.summary, ...next.summary],
  };
}
