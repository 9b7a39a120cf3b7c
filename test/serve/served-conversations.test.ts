import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { keylessOwners } from "../../src/core/store-quota.js";
import {
  openServedConversations,
  selectConversationsFile,
} from "../../src/serve/served-conversations.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const todos = "/data/todos.json";
const beside = "/data/conversations.jsonl";

it.each([
  [["127.0.0.1"], undefined, beside],
  [["localhost", "::1", "unix:/run/ggufd.sock"], undefined, beside],
  [["0.0.0.0"], undefined, undefined],
  [["127.0.0.1", "192.168.1.5"], undefined, undefined],
  [["example.com"], undefined, undefined],
  [["0.0.0.0"], "/srv/c.jsonl", "/srv/c.jsonl"],
  [["127.0.0.1"], "none", undefined],
])("with --host %j and --conversations %s, conversations are stored in %s", (host, given, file) => {
  expect(selectConversationsFile({ conversations: given, todos, host })).toBe(file);
});

it("stored conversation items are loaded again after a restart", async () => {
  const conversations = join(await temporaryFolder(), "c.jsonl");
  const config = { conversations, todos, host: [] };
  const logger = { warn: () => undefined };
  const store = await openServedConversations(config, keylessOwners, logger);
  onTestFinished(() => store.close());
  const content = { id: "conv_1", owner: "", metadata: {} };
  const write = (text: unknown) =>
    store.change((draft) =>
      draft.create({
        ...content,
        items: [
          {
            ...{ type: "message", id: "msg_1", role: "user", status: "completed" },
            content: [{ type: "input_text", text: text as string }],
          },
        ],
      }),
    );
  await write("Hi");
  await store.close();
  const again = await openServedConversations(config, keylessOwners, logger);
  onTestFinished(() => again.close());
  expect(again.find("", "conv_1")?.items).toEqual(store.find("", "conv_1")?.items);
});

it("the log reports lines missing from the conversations file, and the affected conversations", async () => {
  const conversations = join(await temporaryFolder(), "c.jsonl");
  const config = { conversations, todos, host: [] };
  const lines: unknown[] = [];
  const logger = { warn: (...line: readonly unknown[]) => void lines.push(line) };
  const store = await openServedConversations(config, keylessOwners, logger);
  for (const id of ["conv_1", "conv_2", "conv_3", "conv_4"]) {
    await store.change((draft) => draft.create({ id, owner: "", metadata: {}, items: [] }));
  }
  await store.change((draft) => {
    const before = draft.find("", "conv_4");
    if (before === undefined) throw new Error("it was created");
    return draft.replace(before, { items: [] });
  });
  await store.close();
  const written = (await readFile(conversations, "utf8")).split("\n");
  await writeFile(
    conversations,
    written.filter((_, index) => ![1, 3, 4].includes(index)).join("\n"),
  );
  const again = await openServedConversations(config, keylessOwners, logger);
  onTestFinished(() => again.close());
  expect(lines).toEqual([
    [
      { file: conversations, lines: ["2", "4-5"], incomplete: ["conv_4"] },
      expect.stringMatching(/^lines are missing from the conversations file: /),
    ],
  ]);
  expect(again.find("", "conv_2")).toBeDefined();
});
