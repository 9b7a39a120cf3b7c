/** Actions on a conversation and its branches, from the list. */
import { signal } from "@preact/signals";
import type { ConversationObject } from "../../api/responses/response-schema.js";
import { messageOf } from "../api/api-error.js";
import { announce } from "../parts/announcer.js";
import { goTo, route } from "../route.js";
import { onSessionEnd } from "../session.js";
import { rootOf } from "./branches.js";
import { titleOfConversation } from "./chat-settings.js";
import { isPinned, PINNED } from "./conversation-groups.js";
import {
  changeFamily,
  hiddenRoots,
  listError,
  removeAllConversations,
  removeFamily,
} from "./conversations.js";
import { showChanged, thread } from "./thread.js";

/** @throws {ApiError} */
export async function rename(conversation: ConversationObject, title: string): Promise<void> {
  const changed = await changeFamily(conversation, (metadata) => ({ ...metadata, title }));
  changed.forEach(showChanged);
  announce("Renamed");
}

/** Pins a conversation, or unpins a pinned one. */
export async function togglePin(conversation: ConversationObject): Promise<void> {
  const isUnpinned = isPinned(conversation);
  try {
    const changed = await changeFamily(conversation, ({ pinned, ...others }) =>
      isUnpinned ? others : { ...others, pinned: PINNED },
    );
    changed.forEach(showChanged);
    announce(isUnpinned ? "Unpinned" : "Pinned");
  } catch (error) {
    listError.value = messageOf(error);
  }
}

/** Time in which a deletion can be undone. */
const UNDO_MS = 8000;

interface PendingDeletion {
  readonly conversations: readonly ConversationObject[];
  /** Id of the conversation that was shown, if it is one of them. */
  readonly shown: string | undefined;
}

/**
 * Deletions that can be undone. They are requested from the server when the time to undo them has
 * passed; a tab that is closed earlier deletes nothing.
 */
export const pendingDeletion = signal<PendingDeletion | undefined>(undefined);

let timer: ReturnType<typeof setTimeout> | undefined;

onSessionEnd(() => {
  clearTimeout(timer);
  pendingDeletion.value = undefined;
});

/** Removes a conversation from the list, and deletes it unless that is undone in time. */
export function removeWithUndo(conversation: ConversationObject): void {
  const { conversations = [], shown } = pendingDeletion.value ?? {};
  const open = thread.value;
  const isShown = open.state === "open" && rootOf(open.conversation) === rootOf(conversation);
  pendingDeletion.value = {
    conversations: [...conversations, conversation],
    shown: isShown ? open.conversation.id : shown,
  };
  hide(conversation);
  if (isShown && route.value.id !== undefined) goTo({ view: "chat" });
  announce(`${describePendingDeletion(pendingDeletion.value)}. Undo is available.`);
  resumeDeletion();
}

export function describePendingDeletion({ conversations }: PendingDeletion): string {
  const [first] = conversations;
  return first !== undefined && conversations.length === 1
    ? `Deleted “${titleOfConversation(first)}”`
    : `Deleted ${conversations.length} chats`;
}

/** Extends the time to undo, while the user is about to. */
export function holdDeletion(): void {
  clearTimeout(timer);
}

/** Restarts the time to undo. */
export function resumeDeletion(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void finishDeletion(), UNDO_MS);
}

/** Lists the conversations again. */
export function undoDeletion(): void {
  clearTimeout(timer);
  const pending = pendingDeletion.value;
  pendingDeletion.value = undefined;
  if (pending === undefined) return;
  unhide(pending.conversations);
  if (pending.shown !== undefined) goTo({ view: "chat", id: pending.shown });
  announce("Restored");
}

/** Deletes the conversations on the server. */
export async function finishDeletion(): Promise<void> {
  clearTimeout(timer);
  const { conversations = [] } = pendingDeletion.value ?? {};
  pendingDeletion.value = undefined;
  for (const conversation of conversations) {
    try {
      await removeFamily(conversation);
    } catch (error) {
      listError.value = `“${titleOfConversation(conversation)}” was not deleted: ${messageOf(error)}`;
    }
    unhide([conversation]);
  }
}

function hide(conversation: ConversationObject): void {
  hiddenRoots.value = new Set([...hiddenRoots.value, rootOf(conversation)]);
}

function unhide(conversations: readonly ConversationObject[]): void {
  const roots = new Set(conversations.map(rootOf));
  hiddenRoots.value = new Set([...hiddenRoots.value].filter((root) => !roots.has(root)));
}

/** Deletes all conversations at once. @throws {ApiError} */
export async function removeAll(onProgress: (count: number) => void): Promise<void> {
  clearTimeout(timer);
  pendingDeletion.value = undefined;
  try {
    await removeAllConversations(onProgress);
  } finally {
    hiddenRoots.value = new Set();
  }
  if (route.value.id !== undefined) goTo({ view: "chat" });
  announce("Deleted all chats");
}
