import assert from "node:assert/strict";
import { type SortField, sortFields, type Todo, type TodoPage, type TodoQuery } from "../todo.js";
import { type Block, BlockMap } from "./block-map.js";
import { type IdempotencyRecord, IdempotencyRecords } from "./idempotency-records.js";
import { TodoIndex } from "./todo-index.js";
import { type PageSource, selectPage, selectPageInSteps, type TodoIndexes } from "./todo-page.js";

/** Fields of the file that this version does not define. They are preserved. */
export type UnknownFields = Readonly<Record<string, unknown>>;

/** An item as it is stored in the file. */
export interface TodoRecord {
  /** Frozen: readers receive this object itself, not a copy. */
  readonly todo: Todo;
  readonly unknown: UnknownFields | undefined;
}

/** The parsed content of a todo file. */
export interface TodoContents {
  /** The id of the next item: above every id that was ever assigned. */
  readonly nextId: number;
  readonly records: readonly TodoRecord[];
  readonly idempotency: readonly IdempotencyRecord[];
  /** Unknown fields of the file's top level. */
  readonly unknown: UnknownFields;
}

interface Parts {
  readonly records: BlockMap<TodoRecord>;
  readonly indexes: TodoIndexes;
  readonly idempotency: IdempotencyRecords;
  readonly unknown: UnknownFields;
  readonly nextId: number;
  readonly revision: number;
}

/**
 * The items in memory, with an index for each sort field and the idempotency keys.
 *
 * A persistent (copy-on-write) data structure: a draft is an O(1) copy that shares all unmodified
 * parts, and changes to the draft do not affect the original. Items and blocks are replaced, never
 * modified.
 */
export class TodoCollection {
  readonly unknown: UnknownFields;
  readonly idempotency: IdempotencyRecords;
  readonly #records: BlockMap<TodoRecord>;
  readonly #indexes: TodoIndexes;
  #nextId: number;
  #revision: number;
  #list: readonly Todo[] | undefined;

  static of({ nextId, records, idempotency, unknown }: TodoContents): TodoCollection {
    const todos = records.map(({ todo }) => todo);
    return new TodoCollection({
      records: BlockMap.of(({ todo }) => todo.id, records),
      indexes: forEachField((field) => TodoIndex.of(field, todos)),
      idempotency: IdempotencyRecords.of(idempotency),
      unknown,
      nextId,
      revision: 0,
    });
  }

  static empty(): TodoCollection {
    return TodoCollection.of({ nextId: 1, records: [], idempotency: [], unknown: {} });
  }

  private constructor({ records, indexes, idempotency, unknown, nextId, revision }: Parts) {
    this.#records = records;
    this.#indexes = indexes;
    this.idempotency = idempotency;
    this.unknown = unknown;
    this.#nextId = nextId;
    this.#revision = revision;
  }

  /** An independent copy to apply changes to. */
  createDraft(): TodoCollection {
    return new TodoCollection({
      records: this.#records.clone(),
      indexes: forEachField((field) => this.#indexes[field].clone()),
      idempotency: this.idempotency.clone(),
      unknown: this.unknown,
      nextId: this.#nextId,
      revision: this.#revision,
    });
  }

  /** Number of changes: a draft with the revision of its original has the same content. */
  get revision(): number {
    return this.#revision;
  }

  get nextId(): number {
    return this.#nextId;
  }

  /** All items in order of id; the same array until the next change. */
  list(): readonly Todo[] {
    this.#list ??= collectTodos(this.#records.blocks());
    return this.#list;
  }

  readPage(query: TodoQuery): TodoPage {
    return selectPage(this.#source, query);
  }

  /**
   * Like {@link readPage}, in steps, between which other work may run and this collection may be
   * drafted.
   */
  readPageInSteps(query: TodoQuery): Generator<void, TodoPage> {
    return selectPageInSteps(this.#source, query);
  }

  find(id: number): Todo | undefined {
    return this.#records.get(id)?.todo;
  }

  /** The item with the highest id. */
  newest(): Todo | undefined {
    return this.#records.last()?.todo;
  }

  /** The items in blocks, in order of id. */
  blocks(): readonly Block<TodoRecord>[] {
    return this.#records.blocks();
  }

  /** Adds an item, whose id must be `nextId`. */
  add(todo: Todo): void {
    assert(todo.id === this.#nextId, `expected the id ${this.#nextId}, got ${todo.id}`);
    this.#records.set({ todo: Object.freeze(todo), unknown: undefined });
    for (const field of sortFields) this.#indexes[field].add(todo);
    this.#nextId = todo.id + 1;
    this.#countChange();
  }

  /** Replaces the item with the same id, which must exist. */
  replace(todo: Todo): void {
    const before = this.#records.get(todo.id);
    assert(before !== undefined, `there is no item ${todo.id} to replace`);
    this.#records.set({ todo: Object.freeze(todo), unknown: before.unknown });
    for (const field of sortFields) this.#indexes[field].replace(before.todo, todo);
    this.#countChange();
  }

  /**
   * Removes an item, which must be the current version of its id: the indexes find it by its
   * values.
   */
  remove(todo: Todo): void {
    assert(
      this.find(todo.id) === todo,
      `expected the current item ${todo.id}, got another version`,
    );
    this.#records.delete(todo.id);
    for (const field of sortFields) this.#indexes[field].remove(todo);
    this.#countChange();
  }

  get #source(): PageSource {
    return { indexes: this.#indexes, all: () => this.list() };
  }

  #countChange(): void {
    this.#revision += 1;
    this.#list = undefined;
  }
}

/** Nested loops for speed: this runs over all items after every change. */
function collectTodos(blocks: readonly Block<TodoRecord>[]): readonly Todo[] {
  const todos: Todo[] = [];
  for (const block of blocks) for (const { todo } of block) todos.push(todo);
  return todos;
}

function forEachField(index: (field: SortField) => TodoIndex): Record<SortField, TodoIndex> {
  return {
    id: index("id"),
    title: index("title"),
    completed: index("completed"),
    createdAt: index("createdAt"),
    updatedAt: index("updatedAt"),
  };
}
