/** Maximum number of items per request. */
const ITEMS_PER_REQUEST = 20;

/** Text of the last answer of a long conversation. */
export const LAST_TEXT = "This is the end.";

/** Stores a conversation of many turns on a server. @returns its id */
export async function storeLongConversation(url: string, turns: number): Promise<string> {
  const post = async (path: string, body: object) => {
    const response = await fetch(`${url}/v1/conversations${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${await response.text()}`);
    return (await response.json()) as { readonly id: string };
  };
  const { id } = await post("", { metadata: { title: "A long conversation" } });
  const items = Array.from({ length: turns }, (_, turn) => writeTurn(turn, turns));
  for (let from = 0; from < turns; from += ITEMS_PER_REQUEST) {
    await post(`/${id}/items`, { items: items.slice(from, from + ITEMS_PER_REQUEST) });
  }
  return id;
}

/** Questions and answers alternate; answers have formatted text, a list and a table. */
function writeTurn(turn: number, turns: number): object {
  if (turn % 2 === 0) return toItem("user", "input_text", `Question ${turn}: how does it work?`);
  const text = [
    `## Answer ${turn}`,
    "A **hash table** stores pairs of keys and values.",
    "1. Hash the key.\n2. Find the *bucket*.",
    "| Operation | Time |\n| --- | --- |\n| find | `O(1)` |",
    ...(turn >= turns - 2 ? [LAST_TEXT] : []),
  ].join("\n\n");
  return toItem("assistant", "output_text", text);
}

function toItem(role: string, type: string, text: string): object {
  return { type: "message", role, content: [{ type, text }] };
}
