import { z } from "zod";
import type { IdempotencyRecord } from "../collection/idempotency-records.js";
import type { TodoContents, TodoRecord } from "../collection/todo-collection.js";
import type { Todo } from "../todo.js";

export const FILE_VERSION = 2;

/** The only time format that sorts as text. */
const time = z.iso.datetime({ precision: 3 });

const todoFields = {
  id: z.int().positive(),
  title: z.string(),
  completed: z.boolean(),
  created_at: time,
  updated_at: time,
};

const fileItem = z.looseObject(todoFields);
const idempotencyKey = z.object({
  key: z.string(),
  /** The name of an API key. */
  owner: z.string().optional(),
  fingerprint: z.string(),
  todo: z.object(todoFields),
  at: time,
});

/**
 * The content of the todo file. Unknown fields are preserved, so that a newer version or the
 * operator may add some.
 */
const todoFile = z
  .looseObject({
    version: z.literal(FILE_VERSION),
    /** The id of the next item: above every id that was ever assigned. */
    nextId: z.int().positive(),
    items: z.array(fileItem),
    idempotencyKeys: z.array(idempotencyKey).default([]),
  })
  .check(({ value: { items, nextId, idempotencyKeys }, issues }) => {
    const itemIds = items.map(({ id }, index) => at(["items", index, "id"], id));
    const keyIds = idempotencyKeys.map(({ todo }, index) =>
      at(["idempotencyKeys", index, "todo", "id"], todo.id),
    );
    const keys = idempotencyKeys.map(({ key, owner }, index) =>
      at(
        ["idempotencyKeys", index, "key"],
        JSON.stringify(owner === undefined ? key : [key, owner]),
      ),
    );
    const report = ({ path, input }: Located<unknown>, message: string) =>
      issues.push({ code: "custom", path: [...path], input, message });
    for (const id of [...itemIds, ...keyIds]) {
      if (id.input < nextId) continue;
      report(id, `expected an id below nextId (${nextId}), got ${id.input}`);
    }
    for (const id of duplicatesIn(itemIds)) report(id, `two items have the id ${id.input}`);
    for (const id of duplicatesIn(keyIds)) report(id, `two keys created the item ${id.input}`);
    for (const key of duplicatesIn(keys)) report(key, `two records have the key ${key.input}`);
  });

export type FileItem = z.infer<typeof fileItem>;
export type FileIdempotencyKey = z.infer<typeof idempotencyKey>;
export type FileTodo = FileIdempotencyKey["todo"];

/**
 * Validates parsed JSON against the file format.
 * @throws {Error} naming the first invalid field, such as `items[3].title`
 */
export function parseTodoFile(value: unknown): TodoContents {
  const result = todoFile.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    const path = z.core.toDotPath(issue?.path ?? []) || "top level";
    throw new Error(`${path}: ${issue?.message ?? "wrong shape"}`);
  }
  const { version: _version, nextId, items, idempotencyKeys, ...unknown } = result.data;
  return {
    nextId,
    records: items.map(toRecord),
    idempotency: idempotencyKeys.map(toIdempotencyRecord),
    unknown,
  };
}

function toRecord({
  id,
  title,
  completed,
  created_at,
  updated_at,
  ...unknown
}: FileItem): TodoRecord {
  return {
    todo: toTodo({ id, title, completed, created_at, updated_at }),
    unknown: Object.keys(unknown).length === 0 ? undefined : unknown,
  };
}

function toIdempotencyRecord({ todo, at, ...key }: FileIdempotencyKey): IdempotencyRecord {
  return { ...key, todo: toTodo(todo), createdAtMs: Date.parse(at) };
}

function toTodo({ id, title, completed, created_at, updated_at }: FileTodo): Todo {
  return Object.freeze({ id, title, completed, createdAt: created_at, updatedAt: updated_at });
}

/** A value and its path in the file. */
interface Located<Value> {
  readonly path: readonly (string | number)[];
  readonly input: Value;
}

function at<Value>(path: readonly (string | number)[], input: Value): Located<Value> {
  return { path, input };
}

/** Every occurrence of a value after its first. */
function duplicatesIn<Value>(values: readonly Located<Value>[]): readonly Located<Value>[] {
  const seen = new Set<Value>();
  return values.filter(({ input }) => {
    const isDuplicate = seen.has(input);
    seen.add(input);
    return isDuplicate;
  });
}
