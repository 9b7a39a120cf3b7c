import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ImportedItem } from "../../../../src/page/chat/transfer/imported.js";
import { listBranches } from "../../../../src/page/chat/transfer/message-tree.js";
import { parseImport } from "../../../../src/page/chat/transfer/parse-import.js";

const read = (name: string) =>
  parseImport(readFileSync(new URL(`./files/${name}`, import.meta.url), "utf8"));

/** Prints an item as its type or role with its text. */
function print({ type, role, content }: ImportedItem): string {
  const texts = (content as readonly { text: string }[]).map(({ text }) => text);
  return `${type === "message" ? role : type}: ${texts.join("|")}`;
}

describe("an import from ChatGPT", () => {
  const { source, conversations, skipped } = read("chatgpt.json");

  it("has the branches of each conversation, the shown one last", () => {
    expect(source).toBe("ChatGPT");
    const [first, second] = conversations.map(({ branches }) =>
      branches.map(({ items }) => items.map(print)),
    );
    expect(first).toEqual([
      ["user: How do I feed a starter?", "assistant: Weekly is enough."],
      [
        "user: How do I feed a starter?",
        "reasoning: Starters need flour.",
        "assistant: Daily, with equal parts of flour and water.",
      ],
    ]);
    expect(second).toEqual([["user: What is this?", "assistant: A loaf."]]);
    const [one, other] = conversations[0]?.branches ?? [];
    expect(one?.items[0]).toBe(other?.items[0]);
  });

  it("has titles, times and pins", () => {
    expect(conversations.map(({ title, times, metadata }) => [title, times, metadata])).toEqual([
      ["Sourdough basics", { createdAt: 1731000000, updatedAt: 1731000500 }, { pinned: "true" }],
      ["Untitled chat", { createdAt: 1731100000, updatedAt: 1731100000 }, {}],
    ]);
  });

  it("counts what is left out, with the reason", () => {
    expect(skipped).toEqual([
      { what: "calls of tools", why: "they belong to tools of ChatGPT", count: 1 },
      { what: "results of tools", why: "they belong to tools of ChatGPT", count: 1 },
      { what: "images", why: "the export does not contain them", count: 1 },
      { what: "chats", why: "they have no messages", count: 1 },
    ]);
  });
});

describe("an import from Open WebUI", () => {
  const { source, conversations, skipped } = read("open-webui.json");

  it("has the branches of each chat, the shown one last", () => {
    expect(source).toBe("Open WebUI");
    expect(
      conversations.map(({ branches }) => branches.map(({ items }) => items.map(print))),
    ).toEqual([
      [
        ["user: Match a date", "assistant: Use `\\d{4}`.", "user: And the month?"],
        [
          "user: Match a date",
          "reasoning: ISO dates\nare best.",
          "assistant: Use `\\d{4}-\\d{2}-\\d{2}`.",
        ],
      ],
      [["user: Hi", "assistant: Hello!"]],
    ]);
  });

  it("has titles, system prompts, times and pins", () => {
    expect(conversations.map(({ title, times, metadata }) => [title, times, metadata])).toEqual([
      [
        "Regular expressions",
        { createdAt: 1733000000, updatedAt: 1733000100 },
        { instructions: "Answer with examples.", pinned: "true" },
      ],
      ["Untitled chat", { createdAt: 1690000000, updatedAt: 1690000000 }, {}],
    ]);
  });

  it("counts what is left out, with the reason", () => {
    expect(skipped).toEqual([
      { what: "images", why: "they are not part of the text", count: 1 },
      { what: "files", why: "the export does not contain them", count: 1 },
      { what: "calls of tools", why: "they belong to tools of Open WebUI", count: 1 },
      { what: "chats", why: "they have no messages", count: 1 },
    ]);
  });

  it("accepts times in milliseconds and nanoseconds", () => {
    const chat = { timestamp: 1733000000123, messages: [{ role: "user", content: "Hi" }] };
    const text = JSON.stringify([{ chat, updated_at: 1733000100000000000 }]);
    expect(parseImport(text).conversations[0]?.times).toEqual({
      createdAt: 1733000000,
      updatedAt: 1733000100,
    });
  });
});

describe("another file", () => {
  it.each([
    ["PK\u0003\u0004", "got a ZIP archive. Unpack it"],
    ["", "got an empty file"],
    ["<html>", "got a file that is not JSON"],
    ["[]", "got an empty array"],
    ["3", "got JSON of the type number"],
    ['{"user":1,"id":2}', "got an object with the fields user, id"],
    ['[{"role":"user"}]', "got an array whose first element is an object with the fields role"],
    ['{"format":"ggufd.conversations","version":2}', "Expected version 1 of the format, got 2"],
  ])("is refused with what was expected: %s", (text, message) => {
    expect(() => parseImport(text)).toThrow(message);
  });

  it.each([
    '[{"mapping":{"a":{"message":{"author":null,"content":{"parts":[null,3,{}]}},"children":[1]}}}]',
    '[{"mapping":{"a":null}},null,{"mapping":3}]',
    '[{"chat":{"history":{"messages":{"a":null,"b":{"role":3,"childrenIds":"x"}}}}},7]',
    '{"format":"ggufd.conversations","version":1,"conversations":[null,{"id":1},{"id":"a","items":[null]}]}',
  ])("with values of unexpected types is read as far as possible: %s", (text) => {
    expect(() => parseImport(text)).not.toThrow();
  });
});

describe("items in a file of ggufd", () => {
  it("keep the responses of answers, the requests of approvals and the status of calls", () => {
    const answer = { type: "message", role: "assistant", content: [], response: { model: "m" } };
    const request = { type: "mcp_approval_request", id: "mcpr_1", name: "add" };
    const call = { type: "mcp_call", name: "add", status: "failed" };
    const items = [
      { ...answer, id: "msg_1", status: "completed" },
      request,
      { ...call, id: "mcp_1" },
    ];
    const file = { format: "ggufd.conversations", version: 1, conversations: [{ id: "a", items }] };
    const [conversation] = parseImport(JSON.stringify(file)).conversations;
    expect(conversation?.branches[0]?.items).toEqual([answer, request, call]);
  });
});

describe("branches in a file of ggufd that were changed in the same second", () => {
  it("keep the last one of the file as the latest", () => {
    const branch = (id: string, metadata: object) => ({
      ...{ id, created_at: 10, updated_at: 20, metadata, items: [{ id: `i-${id}` }] },
    });
    const branches = [branch("a", { title: "T" }), branch("b", { root: "a", title: "T" })];
    const updatesOf = (list: readonly object[]) => {
      const file = { format: "ggufd.conversations", version: 1, conversations: list };
      const [conversation] = parseImport(JSON.stringify(file)).conversations;
      return conversation?.branches.map(({ times }) => times?.updatedAt);
    };
    expect(updatesOf(branches)).toEqual([19, 20]);
    expect(updatesOf(branches.toReversed())).toEqual([19, 20]);
  });
});

describe("the branches of a tree", () => {
  const item = (id: string): ImportedItem => ({ id });
  const node = (id: string, children: readonly string[] = [], isKept = true) => ({
    id,
    children,
    items: isKept ? [item(id)] : [],
  });
  const list = (...parameters: Parameters<typeof listBranches>) =>
    listBranches(...parameters).map(({ items }) => items.map(({ id }) => id).join(""));

  it("are its paths, the current one last", () => {
    const nodes = [node("a", ["b", "c"]), node("b", ["d", "e"]), node("c"), node("d"), node("e")];
    expect(list(nodes, undefined)).toEqual(["abd", "abe", "ac"]);
    expect(list(nodes, "d")).toEqual(["abe", "ac", "abd"]);
    expect(list(nodes, "b")).toEqual(["abe", "ac", "abd"]);
  });

  it("leave out paths whose further messages have no items", () => {
    const nodes = [node("a", ["b", "c"]), node("b", ["d"], false), node("c"), node("d", [], false)];
    expect(list(nodes, undefined)).toEqual(["ac"]);
    expect(list(nodes, "d")).toEqual(["ac"]);
    expect(list([node("a", ["b"], false), node("b", [], false)], undefined)).toEqual([]);
  });

  it("may have several roots", () => {
    expect(list([node("a"), node("b", ["c"]), node("c")], "a")).toEqual(["bc", "a"]);
  });

  it("of a damaged tree end at cycles and missing messages", () => {
    expect(list([node("a", ["b"]), node("b", ["c"]), node("c", ["b", "x"])], "c")).toEqual(["abc"]);
    expect(list([node("a", ["a"])], "a")).toEqual([]);
  });

  it("may be long", () => {
    const nodes = Array.from({ length: 20_000 }, (_, index) => node(`${index}`, [`${index + 1}`]));
    expect(listBranches(nodes, undefined)[0]?.items).toHaveLength(20_000);
  });
});
