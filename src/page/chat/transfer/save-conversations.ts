/** Saves conversations as files of the browser. */
import type { ConversationObject } from "../../../api/responses/response-schema.js";
import { announce } from "../../parts/announcer.js";
import { saveFile } from "../../parts/save-file.js";
import { rootOf } from "../branches.js";
import { titleOfConversation } from "../chat-settings.js";
import { readAllPages, readFamily, readItems } from "../conversations.js";
import { thread } from "../thread.js";
import { toExportFile, toFileName, type WholeConversation } from "./export-file.js";
import { toMarkdown } from "./to-markdown.js";

/**
 * Saves a conversation: as JSON with all its branches, as Markdown the shown branch or the latest
 * one.
 * @throws {ApiError}
 */
export async function saveConversation(
  conversation: ConversationObject,
  format: "markdown" | "json",
): Promise<void> {
  const title = titleOfConversation(conversation);
  const family = await readFamily(conversation);
  if (format === "json") {
    // The latest branch comes last, as in the export of all conversations.
    const ordered = family.toReversed().toSorted((one, other) => one.updated_at - other.updated_at);
    const text = printJson(await readAll(ordered, () => undefined));
    saveFile(toFileName(title, "json"), new Blob([text], { type: "application/json" }));
  } else {
    const open = thread.value;
    const shown = open.state === "open" ? open.conversation.id : undefined;
    const branch = family.find(({ id }) => id === shown) ?? conversation;
    const text = toMarkdown({ conversation: branch, items: await readItems(branch.id) });
    saveFile(toFileName(title, "md"), new Blob([text], { type: "text/markdown" }));
  }
  announce("Exported");
}

/** Progress of an export. */
export type OnProgress = (done: number, total: number) => void;

/**
 * Saves all conversations as one file.
 * @returns number of chats: branches of one count once
 * @throws {ApiError}
 */
export async function saveAllConversations(
  onProgress: OnProgress,
  end: AbortSignal,
): Promise<number> {
  const conversations = await readAllPages({ order: "asc" }, end);
  const whole = await readAll(conversations, onProgress, end);
  const date = new Date().toISOString().slice(0, 10);
  saveFile(`ggufd-chats-${date}.json`, new Blob([printJson(whole)], { type: "application/json" }));
  announce("Exported");
  return new Set(conversations.map(rootOf)).size;
}

/** Number of conversations that are read at the same time. */
const CONCURRENT_READS = 4;

async function readAll(
  conversations: readonly ConversationObject[],
  onProgress: OnProgress,
  end?: AbortSignal,
): Promise<readonly WholeConversation[]> {
  const whole = new Array<WholeConversation>(conversations.length);
  const pending = conversations.entries();
  let done = 0;
  const readRest = async () => {
    for (const [index, conversation] of pending) {
      end?.throwIfAborted();
      whole[index] = { conversation, items: await readItems(conversation.id) };
      onProgress(++done, conversations.length);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_READS }, readRest));
  return whole;
}

function printJson(whole: readonly WholeConversation[]): string {
  return JSON.stringify(toExportFile(whole, Date.now()), undefined, 1);
}
