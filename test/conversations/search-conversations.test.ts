import { describe, expect, it } from "vitest";
import type { Conversation } from "../../src/conversations/conversation.js";
import { ConversationStore } from "../../src/conversations/conversation-store.js";
import { cutExcerpt, type ExcerptPart } from "../../src/conversations/excerpt.js";
import { foldWords } from "../../src/conversations/fold-text.js";
import { searchConversations } from "../../src/conversations/search-conversations.js";
import { create, type Note, note, remove, roomy } from "./some-conversations.js";

function conversation(id: string, title: string, ...items: readonly Note[]): Conversation<Note> {
  return { id, owner: "", createdAt: 0, changedAt: 0, metadata: { title }, items };
}

const search = (conversations: readonly Conversation<Note>[], text: string, limit = 10) =>
  searchConversations(conversations, queryFor(text, limit));

const queryFor = (text: string, limit = 10) => ({
  words: foldWords(text),
  limit,
  titleOf: ({ metadata }: Conversation<Note>) => metadata.title ?? "",
  textOf: (item: Note) => item.text,
});

async function foundIds(...parameters: Parameters<typeof search>) {
  return (await search(...parameters)).found.map(({ conversation: { id } }) => id);
}

const print = (excerpt: readonly ExcerptPart[]) =>
  excerpt.map(({ text, is_match }) => (is_match ? `[${text}]` : text)).join("");

describe("a search of conversations", () => {
  const conversations = [
    conversation("bread", "Baking", note("1", "How do I feed a sourdough?"), note("2", "Daily.")),
    conversation("soup", "Crème soup", note("3", "With LEEKS, please")),
    conversation("long", "", note("4", `${"x ".repeat(10_000)}needle`)),
  ];

  it.each([
    ["sourdough", ["bread"]],
    ["SOURDOUGH baking", ["bread"]],
    ["sourdough soup", []],
    ["daily feed", ["bread"]],
    ["creme leek", ["soup"]],
    ["needle", ["long"]],
    ["nothing", []],
  ])("for %s finds those with all words in the title and the items", async (text, ids) => {
    expect(await foundIds(conversations, text)).toEqual(ids);
  });

  it("finds words at any position of a long item", async () => {
    for (const position of [8_185, 8_190, 8_192, 8_200, 9_210, 9_216, 9_220, 16_380]) {
      const text = `${"é".repeat(position)}nee\u0301dle and more`;
      expect(await foundIds([conversation("a", "", note("1", text))], "needle")).toEqual(["a"]);
    }
  });

  it("names the earliest item with the most words, or none if only the title has them", async () => {
    const items = [note("1", "one"), note("2", "one two"), note("3", "two one")];
    const { found } = await search(
      [conversation("a", "three", ...items), conversation("b", "One, two: three")],
      "one two three",
    );
    expect(found.map(({ match }) => [match?.item?.id, print(match?.excerpt ?? [])])).toEqual([
      ["2", "[one] [two]"],
      [undefined, "[One], [two]: [three]"],
    ]);
  });

  it("reports whether there are more results than its limit", async () => {
    const three = ["a", "b", "c"].map((id) => conversation(id, "same"));
    expect(await search(three, "same", 2)).toMatchObject({ hasMore: true });
    expect(await search(three, "same", 3)).toMatchObject({ hasMore: false });
    expect((await search(three, "same", 2)).found).toHaveLength(2);
  });

  it("selects conversations by a pair of their metadata", async () => {
    const query = { ...queryFor(""), metadata: ["title", "Baking"] as const };
    const { found } = await searchConversations(conversations, query);
    expect(found).toEqual([{ conversation: conversations[0] }]);
  });

  it("scans an item that conversations share once", async () => {
    const scanned: string[] = [];
    const shared = note("1", "shared");
    await searchConversations(
      ["a", "b", "c"].map((id) => conversation(id, "", shared)),
      {
        ...queryFor("missing"),
        textOf: ({ id, text }) => {
          scanned.push(id);
          return text;
        },
      },
    );
    expect(scanned).toEqual(["1"]);
  });

  it("lets other work run, and ends when it is aborted", async () => {
    const text = "word ".repeat(2_000);
    const many = Array.from({ length: 500 }, (_, index) =>
      conversation(`c${index}`, "", note(`${index}`, text)),
    );
    const end = new AbortController();
    setImmediate(() => end.abort());
    expect(await searchConversations(many, queryFor("missing"), end.signal)).toEqual({
      found: [],
      hasMore: false,
    });
    expect(end.signal.aborted).toBe(true);
  });
});

describe("a search of a store", () => {
  it("covers an owner's conversations from a cursor on, without deleted ones", async () => {
    const store = new ConversationStore<Note>({ limits: roomy });
    for (const id of ["a", "b", "c"]) await create(store, id, { items: [note(id, "same")] });
    await create(store, "x", { owner: "bob", items: [note("x", "same")] });
    const find = async (after?: string) => {
      const page = await store.search("", { ...queryFor("same"), order: "desc", after });
      return page?.found.map(({ conversation: { id } }) => id);
    };
    expect(await find()).toEqual(["c", "b", "a"]);
    expect(await find("c")).toEqual(["b", "a"]);
    expect(await find("x")).toBeUndefined();
    await remove(store, "b");
    expect(await find()).toEqual(["c", "a"]);
  });
});

describe("an excerpt", () => {
  const before = "Some text that comes before the interesting part of a long message. ";
  const after = " And then there is more text".repeat(10);

  it.each([
    ["a  short\n text", "short", "a [short] text"],
    ["Crème brûlée", "creme", "[Crème] brûlée"],
    ["aXbXc", "x", "a[X]b[X]c"],
    ["abcd", "abc bcd", "[abcd]"],
    ["e\u0301te\u0301!", "ete", "[e\u0301te\u0301]!"],
  ])("of %j for %s marks the words", (text, query, excerpt) => {
    expect(print(cutExcerpt(text, foldWords(query)))).toBe(excerpt);
  });

  it("has the surroundings of the first match, cut at a word", () => {
    const excerpt = print(cutExcerpt(`${before.repeat(30)}needle${after}`, ["needle"]));
    expect(excerpt).toMatch(
      /^…before the interesting part of a long message\. \[needle\] And then/,
    );
    expect(excerpt.length).toBeLessThan(200);
    expect(excerpt.endsWith("…")).toBe(true);
  });

  it("splits no surrogate pair", () => {
    const excerpt = print(cutExcerpt(`${"😀".repeat(200)}needle${"😀".repeat(200)}`, ["needle"]));
    expect(excerpt.isWellFormed()).toBe(true);
    expect(excerpt).toContain("[needle]");
  });
});
