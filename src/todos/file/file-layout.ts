import type { Block } from "../collection/block-map.js";
import type { IdempotencyRecord } from "../collection/idempotency-records.js";
import type { TodoCollection, TodoRecord } from "../collection/todo-collection.js";
import type { Todo } from "../todo.js";
import {
  FILE_VERSION,
  type FileIdempotencyKey,
  type FileItem,
  type FileTodo,
} from "./todo-file.js";

/**
 * The serialised text of each block, cached for the block's lifetime. Blocks are immutable, so a
 * cached text is never stale, even if the write that it was created for failed.
 */
const textCache = new WeakMap<Block<unknown>, Buffer>();

const separator = ",";
const lineBreak = Buffer.from("\n");

/**
 * The content of the file as consecutive chunks: JSON, with one line for each item and each
 * idempotency key. The chunks are cached for the next write and must not be modified.
 */
export function serialise(todos: TodoCollection): readonly Buffer[] {
  const head = JSON.stringify({ version: FILE_VERSION, nextId: todos.nextId, ...todos.unknown });
  return [
    Buffer.from(`${head.slice(0, -1)},"items":[`),
    ...lines(todos.blocks(), toFileItem),
    Buffer.from(`],"idempotencyKeys":[`),
    ...lines(todos.idempotency.blocks(), toFileIdempotencyKey),
    Buffer.from("]}\n"),
  ];
}

/** The texts of the blocks, one entry per line. */
function lines<Entry>(
  blocks: readonly Block<Entry>[],
  toFile: (entry: Entry) => object,
): readonly Buffer[] {
  const chunks = blocks.map((block) => textOf(block, toFile));
  const last = chunks.pop();
  return last === undefined ? [] : [...chunks, last.subarray(0, -separator.length), lineBreak];
}

/** One line per entry, each with a trailing separator. */
function textOf<Entry>(block: Block<Entry>, toFile: (entry: Entry) => object): Buffer {
  const cached = textCache.get(block);
  if (cached !== undefined) return cached;
  const lines = block.map((entry) => `\n${JSON.stringify(toFile(entry))}${separator}`);
  const text = Buffer.from(lines.join(""));
  textCache.set(block, text);
  return text;
}

function toFileItem({ todo, unknown }: TodoRecord): FileItem {
  return { ...toFileTodo(todo), ...unknown };
}

function toFileIdempotencyKey(record: IdempotencyRecord): FileIdempotencyKey {
  const { key, owner, fingerprint, todo, createdAtMs } = record;
  return {
    key,
    ...(owner !== undefined && { owner }),
    fingerprint,
    todo: toFileTodo(todo),
    at: new Date(createdAtMs).toISOString(),
  };
}

function toFileTodo({ id, title, completed, createdAt, updatedAt }: Todo): FileTodo {
  return { id, title, completed, created_at: createdAt, updated_at: updatedAt };
}
