import { z } from "zod";
import type { Block } from "../collection/block-map.js";
import type { IdempotencyRecord } from "../collection/idempotency-records.js";
import type { TodoCollection, TodoContents, TodoRecord } from "../collection/todo-collection.js";
import type { Todo } from "../todo.js";

/** Version of the format that is written; files of earlier versions are migrated. */
const FILE_VERSION = 2;

/** Time with a fixed number of digits, so that times sort as text. */
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
    const itemIds = items.map(({ id }, index) => locateValue(["items", index, "id"], id));
    const keyIds = idempotencyKeys.map(({ todo }, index) =>
      locateValue(["idempotencyKeys", index, "todo", "id"], todo.id),
    );
    const keys = idempotencyKeys.map(({ key, owner }, index) =>
      locateValue(
        ["idempotencyKeys", index, "key"],
        JSON.stringify(owner === undefined ? key : [key, owner]),
      ),
    );
    const report = ({ path, input }: LocatedValue<unknown>, message: string) =>
      issues.push({ code: "custom", path: [...path], input, message });
    for (const id of [...itemIds, ...keyIds]) {
      if (id.input < nextId) continue;
      report(id, `expected an id below nextId (${nextId}), got ${id.input}`);
    }
    for (const id of findDuplicates(itemIds)) report(id, `two items have the id ${id.input}`);
    for (const id of findDuplicates(keyIds)) report(id, `two keys created the item ${id.input}`);
    for (const key of findDuplicates(keys)) report(key, `two records have the key ${key.input}`);
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
  if (!result.success) throw toFirstIssueError(result.error);
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

/** Formats the first invalid field and the reason. */
function toFirstIssueError({ issues: [issue] }: z.ZodError): Error {
  const path = z.core.toDotPath(issue?.path ?? []) || "top level";
  return new Error(`${path}: ${issue?.message ?? "wrong shape"}`);
}

/** A value and its path in the file. */
interface LocatedValue<Value> {
  readonly path: readonly (string | number)[];
  readonly input: Value;
}

function locateValue<Value>(path: readonly (string | number)[], input: Value): LocatedValue<Value> {
  return { path, input };
}

/** Every occurrence of a value after its first. */
function findDuplicates<Value>(
  values: readonly LocatedValue<Value>[],
): readonly LocatedValue<Value>[] {
  const seen = new Set<Value>();
  return values.filter(({ input }) => {
    const isDuplicate = seen.has(input);
    seen.add(input);
    return isDuplicate;
  });
}

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
    ...serialiseBlocks(todos.blocks(), toFileItem),
    Buffer.from(`],"idempotencyKeys":[`),
    ...serialiseBlocks(todos.idempotency.blocks(), toFileIdempotencyKey),
    Buffer.from("]}\n"),
  ];
}

/** The texts of the blocks, one entry per line. */
function serialiseBlocks<Entry>(
  blocks: readonly Block<Entry>[],
  toFile: (entry: Entry) => object,
): readonly Buffer[] {
  const chunks = blocks.map((block) => serialiseBlock(block, toFile));
  const last = chunks.pop();
  return last === undefined ? [] : [...chunks, last.subarray(0, -separator.length), lineBreak];
}

/** One line per entry, each with a trailing separator. */
function serialiseBlock<Entry>(block: Block<Entry>, toFile: (entry: Entry) => object): Buffer {
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

/** Input of a migration in addition to the file's content. */
export interface MigrationContext {
  /** When the file was last written: RFC 3339 in UTC with milliseconds. */
  readonly modifiedAt: string;
}

type Migration = (file: VersionedFile, context: MigrationContext) => VersionedFile;

/** Parsed JSON of any version. Only the version is validated here, the rest by the parser. */
const versionedFile = z.looseObject({ version: z.int().positive() });
type VersionedFile = z.infer<typeof versionedFile>;

/** Migrations by the version that they upgrade from; each upgrades by one version. */
const migrations: Readonly<Record<number, Migration>> = {
  /** Adds the times of items. The real ones are unknown, so the file's time is used. */
  1: ({ items, ...file }, { modifiedAt }) => ({
    ...file,
    version: 2,
    items: Array.isArray(items) ? items.map((item) => withTimes(item, modifiedAt)) : items,
  }),
};

/**
 * Upgrades parsed JSON to the current version.
 * @throws {Error} when it has no version, or an unsupported one
 */
export function migrate(value: unknown, context: MigrationContext): MigrationResult {
  const result = versionedFile.safeParse(value);
  if (!result.success) throw toFirstIssueError(result.error);
  let file = result.data;
  while (file.version !== FILE_VERSION) {
    const step = migrations[file.version];
    if (step === undefined) {
      throw new Error(`version: expected 1 to ${FILE_VERSION}, got ${file.version}`);
    }
    file = step(file, context);
  }
  return { file, migrated: result.data.version !== FILE_VERSION };
}

export interface MigrationResult {
  readonly file: unknown;
  /** Whether the file was in an earlier version of the format. */
  readonly migrated: boolean;
}

function withTimes(item: unknown, at: string): unknown {
  if (typeof item !== "object" || item === null) return item;
  return { ...item, created_at: at, updated_at: at };
}
