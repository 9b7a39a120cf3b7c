import type { ListedConversation } from "../../api/responses/response-schema.js";
import { rootOf } from "./branches.js";

/** A conversation with the searched words. */
export type FoundConversation = ListedConversation & {
  readonly match: NonNullable<ListedConversation["match"]>;
};

/** Describes the number of results. */
export function describeCount(count: number, hasMore = false): string {
  if (count === 0) return "No chats found";
  if (hasMore) return `More than ${count} chats found`;
  return count === 1 ? "1 chat found" : `${count} chats found`;
}

/** Adds results, without branches of chats that an earlier result has. */
export function listDistinct(
  before: readonly FoundConversation[],
  added: readonly ListedConversation[],
): readonly FoundConversation[] {
  const roots = new Set(before.map(rootOf));
  const distinct = [...before];
  for (const one of added) {
    if (!isFound(one) || roots.has(rootOf(one))) continue;
    roots.add(rootOf(one));
    distinct.push(one);
  }
  return distinct;
}

function isFound(conversation: ListedConversation): conversation is FoundConversation {
  return conversation.match !== undefined;
}
