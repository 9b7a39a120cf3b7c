import type { Load } from "../scenarios/scenario.js";

/** Maximum number of items per request, as in OpenAI's API. */
const ITEMS_PER_REQUEST = 20;
/** Number of conversations that are created concurrently. */
const CONCURRENT = 8;

interface StoredConversations {
  /** Number of conversations of one question each. */
  readonly conversations: number;
  /** Number of turns of the long conversation. */
  readonly turns: number;
}

/** Text of the last answer of a long conversation. */
export const LAST_TEXT = "This is the end.";

/**
 * Stores a list of short conversations and a long one, which is the newest.
 * @returns the id of the long one
 */
export async function storeConversations(
  { post }: Pick<Load, "post">,
  { conversations, turns }: StoredConversations,
): Promise<string> {
  for (let stored = 0; stored < conversations; stored += CONCURRENT) {
    const count = Math.min(CONCURRENT, conversations - stored);
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        post("conversations", {
          metadata: { title: `Conversation ${stored + index}` },
          items: [toItem("user", `Question ${stored + index}`)],
        }),
      ),
    );
  }
  const { body } = await post("conversations", { metadata: { title: "A long conversation" } });
  if (body === undefined || !("id" in body) || typeof body.id !== "string") {
    throw new Error("expected a conversation with an id, got none");
  }
  const { id } = body;
  const items = Array.from({ length: turns }, (_, turn) => writeTurn(turn, turns));
  for (let from = 0; from < turns; from += ITEMS_PER_REQUEST) {
    await post(`conversations/${id}/items`, { items: items.slice(from, from + ITEMS_PER_REQUEST) });
  }
  return id;
}

/** Questions and answers alternate; answers have lists, code and tables. */
function writeTurn(turn: number, turns: number): object {
  if (turn % 2 === 0) return toItem("user", `Question ${turn}: how does a hash table work?`);
  const text = [
    `## Answer ${turn}`,
    "A **hash table** stores pairs of keys and values; see [RFC 1](https://example.com).",
    "1. Hash the key.\n2. Find the *bucket*.\n3. Compare the keys in it.",
    "```js\nconst table = new Map([['one', 1]]); // a comment\n```",
    "| Operation | Time |\n| --- | --- |\n| find | `O(1)` |\n| add | `O(1)` |",
    ...(turn >= turns - 2 ? [LAST_TEXT] : []),
  ].join("\n\n");
  return toItem("assistant", text);
}

function toItem(role: "user" | "assistant", text: string): object {
  const type = role === "user" ? "input_text" : "output_text";
  return { type: "message", role, content: [{ type, text }] };
}
