import { describe, expect, it } from "vitest";
import type { StoredItem } from "../../../../src/api/responses/item-schema.js";
import type { ConversationObject } from "../../../../src/api/responses/response-schema.js";
import { ApiError } from "../../../../src/page/api/api-error.js";
import { rootOf } from "../../../../src/page/chat/branches.js";
import { toExportFile, toFileName } from "../../../../src/page/chat/transfer/export-file.js";
import {
  type ImportedConversation,
  type ImportedItem,
  toMessage,
} from "../../../../src/page/chat/transfer/imported.js";
import { parseImport } from "../../../../src/page/chat/transfer/parse-import.js";
import { storeImported } from "../../../../src/page/chat/transfer/store-imported.js";
import { toMarkdown } from "../../../../src/page/chat/transfer/to-markdown.js";

interface Body {
  readonly metadata: Readonly<Record<string, string>>;
  readonly items: readonly ImportedItem[];
  readonly created_at?: number;
  readonly updated_at?: number;
}

/** Server that stores conversations in memory. */
class FakeServer {
  readonly bodies: Body[] = [];
  readonly conversations: (Body & { readonly id: string })[] = [];
  readonly #items = new Map<string, ImportedItem>();

  readonly create = async (body: unknown) => {
    const { items, ...fields } = body as Body;
    this.bodies.push(body as Body);
    const id = `c${this.conversations.length}`;
    const stored = items.map((item, index) => {
      if (item.type !== "item_reference") return { ...item, id: `${id}.${index}` };
      const found = this.#items.get(item.id as string);
      if (found === undefined) throw new ApiError(404, "not_found", "no such item");
      return found;
    });
    for (const item of stored) this.#items.set(item.id as string, item);
    this.conversations.push({ ...fields, id, items: stored });
    return { id, metadata: fields.metadata };
  };

  readonly readItems = async (id: string) =>
    (this.conversations.find((one) => one.id === id)?.items ?? []) as readonly { id: string }[];
}

const [a, b, c, d] = ["a", "b", "c", "d"].map((text) => toMessage("user", text)) as [
  ImportedItem,
  ImportedItem,
  ImportedItem,
  ImportedItem,
];

const conversation = (
  title: string,
  ...branches: readonly (readonly ImportedItem[])[]
): ImportedConversation => ({
  title,
  metadata: { instructions: "Be brief." },
  times: { createdAt: 10, updatedAt: 20 },
  branches: branches.map((items) => ({ items })),
});

const storeIn = (
  server: Pick<FakeServer, "create" | "readItems">,
  conversations: readonly ImportedConversation[],
  end = new AbortController(),
) => {
  const progress: number[] = [];
  const { create, readItems } = server;
  const onProgress = (count: number) => progress.push(count);
  return storeImported(conversations, { create, readItems, onProgress, signal: end.signal }).then(
    (outcome) => ({ outcome, progress }),
  );
};

describe("storing imported conversations", () => {
  it("creates the branches of a conversation, which refer to common items", async () => {
    const server = new FakeServer();
    await storeIn(server, [conversation("A", [a, b], [a, c], [a, c, d])]);
    const own = { title: "A", instructions: "Be brief." };
    expect(server.bodies).toEqual([
      { metadata: own, items: [a, b], created_at: 10, updated_at: 19 },
      {
        metadata: { ...own, root: "c0", parent: "c0", fork: "c0.0" },
        items: [{ type: "item_reference", id: "c0.0" }, c],
        created_at: 10,
        updated_at: 19,
      },
      {
        metadata: { ...own, root: "c0", parent: "c1", fork: "c1.1" },
        items: [{ type: "item_reference", id: "c0.0" }, { type: "item_reference", id: "c1.1" }, d],
        created_at: 10,
        updated_at: 20,
      },
    ]);
  });

  it("makes branches without common items versions of the beginning", async () => {
    const server = new FakeServer();
    await storeIn(server, [conversation("A", [a], [b])]);
    expect(server.bodies[1]?.metadata).toMatchObject({ root: "c0", parent: "c0", fork: "" });
  });

  it("reports rejected conversations, and continues", async () => {
    const server = new FakeServer();
    const create = async (body: unknown) => {
      if ((body as Body).metadata.title === "B") throw new ApiError(400, "x", "too long");
      return server.create(body);
    };
    const all = ["A", "B", "C"].map((title) => conversation(title, [a]));
    expect(await storeIn({ create, readItems: server.readItems }, all)).toEqual({
      outcome: { stored: 2, failed: [{ title: "B", reason: "too long" }], stopped: undefined },
      progress: [1, 2, 3],
    });
  });

  it("stops when the server cannot be reached, or when it is cancelled", async () => {
    const all = ["A", "B"].map((title) => conversation(title, [a]));
    const server = new FakeServer();
    const create = async () => {
      throw new ApiError(0, "unreachable", "The server cannot be reached.");
    };
    const { outcome } = await storeIn({ create, readItems: server.readItems }, all);
    expect(outcome).toEqual({ stored: 0, failed: [], stopped: "The server cannot be reached." });
    const end = new AbortController();
    end.abort();
    expect((await storeIn(server, all, end)).outcome).toMatchObject({ stopped: "Cancelled" });
    expect(server.bodies).toEqual([]);
  });
});

function whole(id: string, metadata: Record<string, string>, items: readonly StoredItem[]) {
  const conversation: ConversationObject = {
    id,
    object: "conversation",
    created_at: 1_700_000_000,
    updated_at: 1_700_000_000 + Number(id.slice(1)),
    metadata,
    active_response_id: null,
  };
  return { conversation, items };
}

const question = (id: string, text: string): StoredItem => ({
  type: "message",
  id,
  status: "completed",
  role: "user",
  content: [{ type: "input_text", text }],
});

const answer = (id: string, text: string): StoredItem => ({
  type: "message",
  id,
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

describe("an exported file", () => {
  const hi = question("i1", "Hi");
  const exported = [
    whole("c1", { title: "A" }, [hi, answer("i2", "One")]),
    whole("c2", { title: "A", root: "c1", parent: "c1", fork: "i1", pinned: "true" }, [
      hi,
      answer("i3", "Two"),
    ]),
    whole("c3", {}, [question("i4", "Other")]),
  ];

  it("contains each item once", () => {
    const file = toExportFile(exported, 1_700_000_100_000);
    expect(file).toMatchObject({
      format: "ggufd.conversations",
      version: 1,
      exported_at: 1_700_000_100,
    });
    expect(file.conversations[1]).toEqual({
      id: "c2",
      created_at: 1_700_000_000,
      updated_at: 1_700_000_002,
      metadata: { title: "A", root: "c1", parent: "c1", fork: "i1", pinned: "true" },
      items: [{ type: "item_reference", id: "i1" }, answer("i3", "Two")],
    });
  });

  it("is imported with branches, metadata and times", async () => {
    const server = new FakeServer();
    const parsed = parseImport(JSON.stringify(toExportFile(exported, 0)));
    expect(parsed).toMatchObject({ source: "ggufd", skipped: [] });
    expect((await storeIn(server, parsed.conversations)).outcome.stored).toBe(2);
    const [first, second, third] = server.conversations;
    expect(second?.metadata).toEqual({
      ...{ title: "A", pinned: "true" },
      ...{ root: "c0", parent: "c0", fork: "c0.0" },
    });
    expect(second && rootOf(second)).toBe("c0");
    expect(second?.items[0]).toBe(first?.items[0]);
    expect([first?.updated_at, second?.updated_at]).toEqual([1_700_000_001, 1_700_000_002]);
    expect(server.bodies[0]?.items[1]).toEqual({
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "One", annotations: [], logprobs: [] }],
    });
    expect(third?.metadata).toEqual({ title: "Untitled chat" });
  });
});

it.each([
  ["How do I feed a starter?", "How-do-I-feed-a-starter.md"],
  ["../../etc/passwd", "etc-passwd.md"],
  ["Crème brûlée", "Crème-brûlée.md"],
  ["???", "chat.md"],
  ["x".repeat(100), `${"x".repeat(60)}.md`],
])("the file of %s is named %s", (title, name) => {
  expect(toFileName(title, "md")).toBe(name);
});

it("a conversation is exported as Markdown with reasoning, calls and attachments", () => {
  const items: StoredItem[] = [
    {
      type: "message",
      id: "i1",
      status: "completed",
      role: "user",
      content: [
        { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" },
        { type: "input_text", text: "What is the **weather**?" },
      ],
    },
    {
      type: "reasoning",
      id: "i2",
      summary: [],
      content: [{ type: "reasoning_text", text: "I need a tool." }],
    },
    {
      type: "function_call",
      id: "i3",
      call_id: "x",
      name: "weather",
      arguments: '{"city":"Bern"}',
      status: "completed",
    },
    {
      type: "function_call_output",
      id: "i4",
      call_id: "x",
      output: "```sunny```",
      status: "completed",
    },
    answer("i5", "Sunny."),
  ];
  const metadata = { title: "Weather", instructions: "Be brief." };
  expect(toMarkdown(whole("c1", metadata, items))).toBe(
    [
      ...["# Weather", "_2023-11-14_", "## System", "Be brief."],
      ...["## You", "_Attached: image_", "What is the **weather**?"],
      "## Assistant",
      "<details>\n<summary>Thoughts</summary>\n\nI need a tool.\n\n</details>",
      ...["Tool call: `weather`", '```\n{"city":"Bern"}\n```'],
      ...["Tool result:", "````\n```sunny```\n````"],
      "Sunny.\n",
    ].join("\n\n"),
  );
});
