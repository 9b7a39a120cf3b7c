/** One to-do item, as clients see it. */
export interface Todo {
  /** From 1 upwards; never given to another item, also after a deletion or a restart. */
  readonly id: number;
  readonly title: string;
  readonly completed: boolean;
}

/** An item before it has its id. */
export type NewTodo = Omit<Todo, "id">;

/**
 * The to-do items. A change resolves once it is kept for good, and only then do readers see it.
 *
 * A change rejects with a `GgufdError`: `internal_error` when it could not be kept (it is then
 * undone), `shutting_down` when the collection is closed.
 */
export interface Todos {
  /** All items in the order of their creation. Never waits for a change. */
  list(): readonly Todo[];

  create(todo: NewTodo): Promise<Todo>;

  /** @throws {GgufdError} `not_found` when no item has the id */
  setCompleted(id: number, completed: boolean): Promise<void>;

  /** @throws {GgufdError} `not_found` when no item has the id */
  remove(id: number): Promise<void>;
}
