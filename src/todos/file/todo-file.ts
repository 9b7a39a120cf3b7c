import { z } from "zod";
import type { IdempotencyRecord } from "../collection/idempotency-records.js";
import type { TodoContents, TodoRecord } from "../collection/todo-collection.js";
import type { Todo } from "../todo.js";

export const FILE_VERSION = 2;

/** The one form in which times sort as text. */
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
  fingerprint: z.string(),
  todo: z.object(todoFields),
  at: time,
});

/**
 * The content of the todo file. Fields that this version does not know are kept, so that a newer
 * version or a person may add some.
 */
const todoFile = z
  .looseObject({
    version: z.literal(FILE_VERSION),
    /** The id of the next item: above every id that was ever given. */
    nextId: z.int().positive(),
    items: z.array(fileItem),
    idempotencyKeys: z.array(idempotencyKey).default([]),
  })
  .check(({ value: { items, nextId, idempotencyKeys }, issues }) => {
    const itemIds = items.map(({ id }, index) => at(["items", index, "id"], id));
    const keyIds = idempotencyKeys.map(({ todo }, index) =>
      at(["idempotencyKeys", index, "todo", "id"], todo.id),
    );
    const keys = idempotencyKeys.map(({ key }, index) =>
      at(["idempotencyKeys", index, "key"], key),
    );
    const refuse = ({ path, input }: Placed<unknown>, message: string) =>
      issues.push({ code: "custom", path: [...path], input, message });
    for (const id of [...itemIds, ...keyIds]) {
      if (id.input < nextId) continue;
      refuse(id, `expected an id below nextId (${nextId}), got ${id.input}`);
    }
    for (const id of repeated(itemIds)) refuse(id, `two items have the id ${id.input}`);
    for (const id of repeated(keyIds)) refuse(id, `two keys created the item ${id.input}`);
    for (const key of repeated(keys))
      refuse(key, `the key ${JSON.stringify(key.input)} comes twice`);
  });

export type FileItem = z.infer<typeof fileItem>;
export type FileIdempotencyKey = z.infer<typeof idempotencyKey>;
export type FileTodo = FileIdempotencyKey["todo"];

/**
 * Checks parsed JSON against the file format.
 * @throws {Error} naming the first field that is wrong, such as `items[3].title`
 */
export function parseTodoFile(value: unknown): TodoContents {
  const result = todoFile.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    const place = z.core.toDotPath(issue?.path ?? []) || "top level";
    throw new Error(`${place}: ${issue?.message ?? "wrong shape"}`);
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

function toIdempotencyRecord({
  key,
  fingerprint,
  todo,
  at,
}: FileIdempotencyKey): IdempotencyRecord {
  return { key, fingerprint, todo: toTodo(todo), at: Date.parse(at) };
}

function toTodo({ id, title, completed, created_at, updated_at }: FileTodo): Todo {
  return Object.freeze({ id, title, completed, createdAt: created_at, updatedAt: updated_at });
}

/** A value and where it stands. */
interface Placed<Value> {
  readonly path: readonly (string | number)[];
  readonly input: Value;
}

function at<Value>(path: readonly (string | number)[], input: Value): Placed<Value> {
  return { path, input };
}

/** The second and later ones of values that come more than once. */
function repeated<Value>(values: readonly Placed<Value>[]): readonly Placed<Value>[] {
  const seen = new Set<Value>();
  return values.filter(({ input }) => {
    const isRepeated = seen.has(input);
    seen.add(input);
    return isRepeated;
  });
}
