import type { StoredItem } from "../../api/responses/item-schema.js";
import type { ConversationObject, ResponseObject } from "../../api/responses/response-schema.js";
import { client } from "../session.js";
import { buildBranchMetadata } from "./branches.js";
import { settingsOf, toRequestFields } from "./chat-settings.js";
import { toReference } from "./conversations.js";
import { answer, begin, buildQuestion, open, thread } from "./thread.js";
import { findLastText, isQuestion, listLastOutput, textOfAnswer } from "./turns.js";

/** Continues the last answer where it ended. */
export async function continueAnswer(conversation: ConversationObject): Promise<void> {
  void answer(conversation, { continue_final_message: true });
}

/**
 * Replaces the last answer, in place: its output so far is deleted.
 * @throws {ApiError} if the output was not deleted
 */
export async function retryAnswer(conversation: ConversationObject): Promise<void> {
  const shown = thread.value;
  if (shown.state !== "open" || shown.conversation.id !== conversation.id) return;
  for (const { id } of listLastOutput(shown.items).toReversed()) {
    await client.json(`/v1/conversations/${conversation.id}/items/${id}`, { method: "DELETE" });
    const now = thread.value;
    if (now.state === "open" && now.conversation.id === conversation.id) {
      thread.value = { ...now, items: now.items.filter((item) => item.id !== id) };
    }
  }
  void answer(conversation);
}

/**
 * Stores another text of an answer in a branch, and shows it.
 * @param before items before the answer
 * @param answerItems items of the answer
 * @throws {ApiError} if no branch was created
 */
export async function editAnswer(
  from: ConversationObject,
  before: readonly StoredItem[],
  answerItems: readonly StoredItem[],
  text: string,
): Promise<void> {
  const kept = answerItems.slice(0, findLastText(answerItems));
  await open(buildBranchMetadata(from, before.at(-1)?.id ?? ""), [
    ...[...before, ...kept].map(toReference),
    { type: "message", role: "assistant", content: [{ type: "output_text", text }] },
  ]);
}

const SUMMARY_TOKENS = 500;
const SUMMARY_REQUEST =
  "Summarise this conversation for a colleague who continues it: what was asked, what was answered and decided, and all facts, names and numbers that later answers need. Write only the summary.";

/**
 * Continues in another conversation, which begins with a summary of this one by its model and with
 * the last question.
 * @throws {ApiError} if the summary was not generated or the conversation not created
 */
export async function summariseAndContinue(conversation: ConversationObject): Promise<void> {
  const shown = thread.value;
  if (shown.state !== "open" || shown.conversation.id !== conversation.id) return;
  const { items } = shown;
  const lastIndex = items.findLastIndex(isQuestion);
  const last = items[lastIndex];
  // A conversation of one question is summarised with its answer.
  const summarised = lastIndex > 0 ? items.slice(0, lastIndex) : items;
  const { model } = settingsOf(conversation);
  const response = await client.json<ResponseObject>("/v1/responses", {
    method: "POST",
    body: {
      ...toRequestFields({ model, sampling: {} }),
      input: [...summarised.map(toReference), buildQuestion(SUMMARY_REQUEST, [])],
      max_output_tokens: SUMMARY_TOKENS,
      reasoning: { effort: "none" },
      truncation: "auto",
      store: false,
    },
  });
  const summary = textOfAnswer({ items: response.output });
  const { root, parent, fork, ...metadata } = conversation.metadata;
  await begin({ ...metadata, title: continuedTitle(metadata.title) }, [
    {
      type: "message",
      role: "system",
      content: [{ type: "input_text", text: `Summary of the conversation so far:\n\n${summary}` }],
    },
    ...(last === undefined ? [] : [toReference(last)]),
  ]);
}

const CONTINUED = " (continued)";

function continuedTitle(title = "Conversation"): string {
  return title.endsWith(CONTINUED) ? title : title + CONTINUED;
}
