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
 * The text of a block, for as long as the block lives. Blocks are replaced and never changed, so a
 * text is never out of date, whatever became of the write that it was made for.
 */
const texts = new WeakMap<Block<unknown>, Buffer>();

const separator = ",";
const lineBreak = Buffer.from("\n");

/**
 * The file: JSON, with one line for each item and each idempotency key. The pieces make the text one
 * after the other; they are kept for the next time, and must not be written into.
 */
export function layOut(todos: TodoCollection): readonly Buffer[] {
  const head = JSON.stringify({ version: FILE_VERSION, nextId: todos.nextId, ...todos.unknown });
  return [
    Buffer.from(`${head.slice(0, -1)},"items":[`),
    ...lines(todos.blocks(), toFileItem),
    Buffer.from(`],"idempotencyKeys":[`),
    ...lines(todos.idempotency.blocks(), toFileIdempotencyKey),
    Buffer.from("]}\n"),
  ];
}

/** The blocks' texts, each entry on a line of its own. */
function lines<Entry>(
  blocks: readonly Block<Entry>[],
  toFile: (entry: Entry) => object,
): readonly Buffer[] {
  const pieces = blocks.map((block) => textOf(block, toFile));
  const last = pieces.pop();
  return last === undefined ? [] : [...pieces, last.subarray(0, -separator.length), lineBreak];
}

/** A line for each entry, and what separates it from the next. */
function textOf<Entry>(block: Block<Entry>, toFile: (entry: Entry) => object): Buffer {
  const known = texts.get(block);
  if (known !== undefined) return known;
  const lines = block.map((entry) => `\n${JSON.stringify(toFile(entry))}${separator}`);
  const text = Buffer.from(lines.join(""));
  texts.set(block, text);
  return text;
}

function toFileItem({ todo, unknown }: TodoRecord): FileItem {
  return { ...toFileTodo(todo), ...unknown };
}

function toFileIdempotencyKey(record: IdempotencyRecord): FileIdempotencyKey {
  const { key, fingerprint, todo, at } = record;
  return { key, fingerprint, todo: toFileTodo(todo), at: new Date(at).toISOString() };
}

function toFileTodo({ id, title, completed, createdAt, updatedAt }: Todo): FileTodo {
  return { id, title, completed, created_at: createdAt, updated_at: updatedAt };
}
