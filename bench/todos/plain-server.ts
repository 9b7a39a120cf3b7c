/**
 * `plain-server.ts FILE unsynced|synced --port PORT`: the baseline for ggufd's to-do service, a
 * straightforward implementation with Fastify and lowdb. Reads search an array, and each change
 * writes the file with lowdb's own adapter; `synced` adds an fsync.
 */
import { parseArgs } from "node:util";
import Fastify from "fastify";
import { Low } from "lowdb";
import { JSONFile } from "lowdb/node";
import { SyncedJsonFile } from "./synced-json-file.js";

interface Todo {
  readonly id: number;
  readonly title: string;
  readonly completed: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

interface TodoFile {
  readonly version: number;
  nextId: number;
  items: Todo[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: "string" } },
});
const [path = "", durability] = positionals;
const adapter =
  durability === "synced" ? new SyncedJsonFile<TodoFile>(path) : new JSONFile<TodoFile>(path);
const db = new Low(adapter, { version: 1, nextId: 1, items: [] });
await db.read();
// Prepared items have no timestamps; without them responses and file would be smaller than ggufd's.
const openedAt = new Date().toISOString();
db.data.items = db.data.items.map((item) => ({
  ...item,
  created_at: openedAt,
  updated_at: openedAt,
}));

const app = Fastify();

app.get("/", async () => ({ version: `fastify ${app.version}` }));

app.get("/health", async () => ({ status: "ok" }));

app.get<{ Querystring: { limit?: string; cursor?: string } }>("/v1/todos", async (request) => {
  const { limit = "20", cursor = "0" } = request.query;
  const remainingItems =
    cursor === "0" ? db.data.items : db.data.items.filter(({ id }) => id > Number(cursor));
  const data = remainingItems.slice(0, Number(limit));
  const hasMore = remainingItems.length > data.length;
  const nextCursor = hasMore ? String(data.at(-1)?.id) : null;
  return { data, pagination: { next_cursor: nextCursor, has_more: hasMore } };
});

app.get<{ Params: { id: string } }>("/v1/todos/:id", async (request, reply) => {
  const id = Number(request.params.id);
  const todo = db.data.items.find((item) => item.id === id);
  return todo ?? reply.code(404).send({ error: `no item has the id ${id}` });
});

app.post<{ Body: { title?: unknown } }>("/v1/todos", async (request, reply) => {
  const { title } = request.body;
  if (typeof title !== "string" || title === "") {
    return reply.code(422).send({ error: "title: expected a non-empty string" });
  }
  const now = new Date().toISOString();
  const todo = { id: db.data.nextId, title, completed: false, created_at: now, updated_at: now };
  db.data.nextId += 1;
  db.data.items.push(todo);
  await db.write();
  return reply.code(201).header("location", `/v1/todos/${todo.id}`).send(todo);
});

await app.listen({ host: "127.0.0.1", port: Number(values.port) });
