import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { type StoredItem, storedItem } from "../../../src/api/responses/item-schema.js";
import type { ConversationStore } from "../../../src/conversations/conversation-store.js";
import { openConversations } from "../../../src/conversations/open-conversations.js";
import { RecordingFiles } from "../../support/recording-files.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { buildTestApp } from "../../support/test-app.js";

interface Served {
  readonly path: string;
  readonly files?: RecordingFiles;
  readonly keyLines?: readonly string[];
}

/** Application that stores its conversations in a file until it stops. */
async function serve({ path, files = new RecordingFiles(), keyLines = [] }: Served) {
  const parseItem = (value: unknown) => storedItem.parse(value);
  const conversations: ConversationStore<StoredItem> = await openConversations(path, {
    parseItem,
    files,
  });
  const log: string[] = [];
  const sink = new Writable({
    write(line, _encoding, done) {
      log.push(String(line));
      done();
    },
  });
  const engine = new ScriptedEngine(() => ({ parts: ["Hel", "lo."] }));
  const { app } = buildTestApp(engine, { conversations, keyLines, logger: pino(sink) });
  const stop = async () => {
    await app.close();
    await conversations.close();
  };
  onTestFinished(stop);
  const as =
    (key: string) => async (method: "GET" | "POST" | "DELETE", path: string, payload?: object) => {
      const headers = { "x-api-key": key };
      const url = `/v1${path}`;
      const answer = await app.inject({ method, url, headers, ...(payload && { payload }) });
      const { statusCode: status, body } = answer;
      return { status, body, json: body.startsWith("{") ? answer.json() : undefined };
    };
  return { as, ask: as(""), engine, files, log, stop };
}

const newPath = async () => join(await temporaryFolder(), "conversations.jsonl");
const said = (content: string) => ({ items: [{ role: "user", content }] });

it("conversations are restored for the same API keys after a restart", async () => {
  const path = await newPath();
  const keyLines = ["a name=alice", "b name=bob"];
  const first = await serve({ path, keyLines });
  const alice = first.as("a");
  const created = await alice("POST", "/conversations", {
    ...said("Hi"),
    metadata: { title: "A" },
  });
  const { id } = created.json;
  await alice("POST", "/responses", { conversation: id });
  const items = await alice("GET", `/conversations/${id}/items`);
  const references = items.json.data.map((item: { id: string }) => ({
    ...{ type: "item_reference", id: item.id },
  }));
  await alice("POST", "/conversations", { items: references.toReversed() });
  const list = await alice("GET", "/conversations");
  await first.stop();

  const again = await serve({ path, keyLines });
  expect((await again.as("a")("GET", "/conversations")).json).toEqual(list.json);
  expect((await again.as("a")("GET", `/conversations/${id}/items`)).json).toEqual(items.json);
  expect((await again.as("b")("GET", "/conversations")).json.data).toEqual([]);
  expect((await again.as("b")("GET", `/conversations/${id}`)).status).toBe(404);
  const goneOn = await again.as("a")("POST", "/responses", { conversation: id, input: "On" });
  expect(goneOn.json.status).toBe("completed");
  expect(again.engine.requests[0]?.prompt.messages.map(({ role }) => role)).toEqual([
    ...["user", "assistant", "user"],
  ]);
  const referred = await again.as("a")("POST", "/responses", { input: references.slice(1) });
  expect(referred.status).toBe(200);
});

it("a message is written to the file before a response is generated", async () => {
  const path = await newPath();
  const { ask } = await serve({ path });
  const { id } = (await ask("POST", "/conversations")).json;
  await ask("POST", `/conversations/${id}/items`, said("written down"));
  expect(await readFile(path, "utf8")).toContain("written down");
});

it.each([
  ["POST", "", { metadata: { a: "b" } }],
  ["POST", "/items", said("Hi")],
  ["DELETE", "", undefined],
] as const)(
  "a change is rejected and not applied if the disk write fails: %s %s",
  async (method, below, body) => {
    const path = await newPath();
    const { ask, files } = await serve({ path });
    const { id } = (await ask("POST", "/conversations", said("Hello"))).json;
    const before = (await ask("GET", `/conversations/${id}`)).json;
    for (const [code, status] of [
      ["ENOSPC", 507],
      ["EROFS", 503],
    ] as const) {
      files.faults.set("open conversations.jsonl a", code);
      // Deletions would rewrite the file in the reserved space.
      files.faults.set("write conversations.jsonl.tmp", code);
      expect((await ask(method, `/conversations/${id}${below}`, body)).status).toBe(status);
      expect((await ask("POST", "/conversations")).status).toBe(status);
    }
    expect((await ask("GET", `/conversations/${id}`)).json).toEqual(before);
    expect((await ask("GET", `/conversations/${id}/items`)).json.data).toHaveLength(1);
    files.faults.clear();
    expect((await ask(method, `/conversations/${id}${below}`, body)).status).toBe(200);
  },
);

it.each([{}, { stream: true }, { background: true, stream: true }])(
  "a response completes although its conversation cannot be written, which is logged: %j",
  async (fields) => {
    const path = await newPath();
    const { ask, files, log } = await serve({ path });
    const { id } = (await ask("POST", "/conversations", said("Hi"))).json;
    files.faults.set("write conversations.jsonl", "ENOSPC");
    const { status, body } = await ask("POST", "/responses", { conversation: id, ...fields });
    expect([status, body]).toEqual([200, expect.stringContaining('"status":"completed"')]);
    expect(log.filter((line) => line.includes("ENOSPC"))).toHaveLength(1);
    const conversation = (await ask("GET", `/conversations/${id}`)).json;
    expect(conversation.active_response_id).toBeNull();
    expect((await ask("GET", `/conversations/${id}/items`)).json.data).toHaveLength(1);
  },
);
