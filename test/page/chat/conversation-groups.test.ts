import { describe, expect, it } from "vitest";
import type { ListedConversation } from "../../../src/api/responses/response-schema.js";
import { groupConversations } from "../../../src/page/chat/conversation-groups.js";
import { describeCount, listDistinct } from "../../../src/page/chat/found-conversations.js";

function conversation(
  id: string,
  updatedAt: number,
  metadata: Record<string, string> = {},
  itemId?: string | null,
): ListedConversation {
  return {
    id,
    object: "conversation",
    created_at: 0,
    updated_at: updatedAt,
    metadata,
    active_response_id: null,
    ...(itemId !== undefined && { match: { item_id: itemId, excerpt: [] } }),
  };
}

describe("the groups of conversations", () => {
  const now = new Date(2025, 10, 29, 15, 30).getTime();
  const at = (...date: readonly [number, number, number, number?]) =>
    new Date(...(date as [number, number, number, number])).getTime() / 1000;

  it.each([
    ["Today", at(2025, 10, 29, 0)],
    ["Today", at(2025, 11, 5, 0)],
    ["Yesterday", at(2025, 10, 28, 23)],
    ["Previous 7 days", at(2025, 10, 27, 23)],
    ["Previous 7 days", at(2025, 10, 22, 0)],
    ["Previous 30 days", at(2025, 10, 21, 23)],
    ["Previous 30 days", at(2025, 9, 30, 0)],
    ["October 2025", at(2025, 9, 29, 23)],
    ["December 2024", at(2024, 11, 31, 23)],
  ])("contain under %s a change at %d", (title, updatedAt) => {
    expect(groupConversations([conversation("a", updatedAt)], now)).toMatchObject([{ title }]);
  });

  it("begin with pinned conversations, and keep the order", () => {
    const all = [
      conversation("a", at(2025, 10, 29, 10)),
      conversation("b", at(2025, 10, 29, 9), { pinned: "true" }),
      conversation("c", at(2025, 10, 29, 8)),
      conversation("d", at(2025, 9, 1), { pinned: "true" }),
      conversation("e", at(2025, 8, 1)),
    ];
    const groups = groupConversations(all, now).map(
      ({ title, conversations }) => `${title}: ${conversations.map(({ id }) => id).join("")}`,
    );
    expect(groups).toEqual(["Pinned: bd", "Today: ac", "September 2025: e"]);
  });
});

describe("the results of a search", () => {
  it("contain each chat once, in the first branch of the results", () => {
    const root = (id: string, itemId: string | null) => conversation(id, 0, { root: "r" }, itemId);
    const first = listDistinct([], [root("a", "1"), root("b", "1"), root("c", "2")]);
    expect(first.map(({ id }) => id)).toEqual(["a"]);
    const added = [root("d", null), conversation("e", 0, {}, "3"), conversation("f", 0, {}, "4")];
    expect(listDistinct(first, added).map(({ id }) => id)).toEqual(["a", "e", "f"]);
  });

  it.each([
    [0, false, "No chats found"],
    [1, false, "1 chat found"],
    [2, false, "2 chats found"],
    [30, true, "More than 30 chats found"],
  ])("are counted: %d", (count, hasMore, text) => {
    expect(describeCount(count, hasMore)).toBe(text);
  });
});
