import { type SortField, sortFields, type Todo, type TodoPage, type TodoQuery } from "../todo.js";
import { type Block, BlockMap } from "./block-map.js";
import { type IdempotencyRecord, IdempotencyRecords } from "./idempotency-records.js";
import { TodoIndex } from "./todo-index.js";
import { pageOf, type TodoIndexes } from "./todo-page.js";

/** Fields that the file holds and this version does not know. */
export type UnknownFields = Readonly<Record<string, unknown>>;

/** An item as the file has it. */
export interface TodoRecord {
  /** Frozen: readers are given this object itself. */
  readonly todo: Todo;
  readonly unknown: UnknownFields | undefined;
}

/** All that a todo file says. */
export interface TodoContents {
  /** The id of the next item: above every id that was ever given. */
  readonly nextId: number;
  readonly records: readonly TodoRecord[];
  readonly idempotency: readonly IdempotencyRecord[];
  /** Of the file itself. */
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
 * The items in memory, with an index for each sort field and the idempotency keys that made them.
 *
 * A draft is a copy that costs nothing: the two share what is not changed, and a reader of the one
 * never notices the other. Items and blocks of them are replaced, never written into.
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

  /** A copy that may be changed; this one stays as it is. */
  draft(): TodoCollection {
    return new TodoCollection({
      records: this.#records.clone(),
      indexes: forEachField((field) => this.#indexes[field].clone()),
      idempotency: this.idempotency.clone(),
      unknown: this.unknown,
      nextId: this.#nextId,
      revision: this.#revision,
    });
  }

  /** Counts the changes: a draft whose revision is that of its original says the same. */
  get revision(): number {
    return this.#revision;
  }

  get nextId(): number {
    return this.#nextId;
  }

  /** All items in the order of their ids; the same array until something changes. */
  list(): readonly Todo[] {
    this.#list ??= todosOf(this.#records.blocks());
    return this.#list;
  }

  page(query: TodoQuery): TodoPage {
    return pageOf({ indexes: this.#indexes, all: () => this.list() }, query);
  }

  find(id: number): Todo | undefined {
    return this.#records.get(id)?.todo;
  }

  /** The item with the highest id. */
  newest(): Todo | undefined {
    return this.#records.last()?.todo;
  }

  /** The items in blocks, in the order of their ids. */
  blocks(): readonly Block<TodoRecord>[] {
    return this.#records.blocks();
  }

  /** Adds an item, whose id must be `nextId`. */
  add(todo: Todo): void {
    this.#records.set({ todo: Object.freeze(todo), unknown: undefined });
    for (const field of sortFields) this.#indexes[field].add(todo);
    this.#nextId = todo.id + 1;
    this.#countChange();
  }

  /** Puts an item in the place of the one with its id, which must be there. */
  replace(todo: Todo): void {
    const before = this.#records.get(todo.id);
    if (before === undefined) throw new Error(`there is no item ${todo.id} to replace`);
    this.#records.set({ todo: Object.freeze(todo), unknown: before.unknown });
    for (const field of sortFields) this.#indexes[field].replace(before.todo, todo);
    this.#countChange();
  }

  remove(todo: Todo): void {
    this.#records.delete(todo.id);
    for (const field of sortFields) this.#indexes[field].remove(todo);
    this.#countChange();
  }

  #countChange(): void {
    this.#revision += 1;
    this.#list = undefined;
  }
}

/** A loop in a loop: this is asked for after every change, of all items. */
function todosOf(blocks: readonly Block<TodoRecord>[]): readonly Todo[] {
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
