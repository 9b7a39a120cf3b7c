/** One to-do item. */
export interface Todo {
  /** From 1 upwards; never given to another item, also after a deletion or a restart. */
  readonly id: number;
  readonly title: string;
  readonly completed: boolean;
  /** RFC 3339 in UTC with milliseconds: `2026-11-21T20:59:59.000Z`. */
  readonly createdAt: string;
  /** As `createdAt`; the same until the item is changed for the first time. */
  readonly updatedAt: string;
}

/** What a client says of an item. */
export type NewTodo = Pick<Todo, "title" | "completed">;

/** What a change sets; a field that is not there stays as it is. */
export type TodoChange = Partial<NewTodo>;

/** Throws a `GgufdError` when an item is not as the client supposes; then it is left alone. */
export type Precondition = (current: Todo) => void;

/** Lets a client ask again without creating twice. */
export interface IdempotencyKey {
  readonly key: string;
  /** Tells requests with the same key apart: a digest of what was asked for. */
  readonly fingerprint: string;
}

export interface Creation {
  /** The item as it was created, also when it has been changed or removed since. */
  readonly todo: Todo;
  /** Whether the item was created now, or by an earlier request with the same key. */
  readonly origin: "created" | "replayed";
}

export const sortFields = ["id", "title", "completed", "createdAt", "updatedAt"] as const;
export type SortField = (typeof sortFields)[number];

export interface SortKey {
  readonly field: SortField;
  readonly direction: "ascending" | "descending";
}

/** Items must satisfy all that is there. */
export interface TodoFilter {
  readonly completed?: boolean;
  /** A part of the title, in any case of letters (Unicode's simple case folding). */
  readonly titleContains?: string;
}

/**
 * A place between two items of an order: the sort keys' values of an item and its id. Titles count
 * by their first 200 UTF-16 code units, and so stand here.
 */
export interface TodoPosition {
  readonly values: readonly (string | number | boolean)[];
  readonly id: number;
}

export interface TodoQuery {
  readonly filter: TodoFilter;
  /**
   * The first key counts most. Items that are equal in all of them follow in ascending order of their
   * ids, whatever the directions.
   */
  readonly order: readonly SortKey[];
  /** Only items after this place, whether or not there still is an item at it. */
  readonly after?: TodoPosition;
  /** Items of the page at most, a positive integer. */
  readonly limit: number;
}

export interface TodoPage {
  readonly items: readonly Todo[];
  /** The place of the last item, when there are more after it. */
  readonly next: TodoPosition | undefined;
}

/**
 * The to-do items. A change resolves once it is kept for good, and only then do readers see it.
 *
 * A change rejects with a `GgufdError`: `storage_full`, `storage_unavailable` or `internal_error`
 * when it could not be kept (it is then undone), `too_many_changes` when too many wait to be kept,
 * `shutting_down` when the collection is closed.
 */
export interface Todos {
  /** All items in the order of their ids. Never waits for a change. */
  list(): readonly Todo[];

  /** Some of the items, filtered and ordered. Never waits for a change. */
  page(query: TodoQuery): TodoPage;

  /** @throws {GgufdError} `not_found` when no item has the id */
  find(id: number): Todo;

  /** @throws {GgufdError} `idempotency_key_reused` when the key came with another fingerprint */
  create(todo: NewTodo, idempotency?: IdempotencyKey): Promise<Creation>;

  /** @throws {GgufdError} `not_found` when no item has the id, or what the precondition throws */
  change(id: number, change: TodoChange, precondition?: Precondition): Promise<Todo>;

  /** @throws {GgufdError} `not_found` when no item has the id, or what the precondition throws */
  remove(id: number, precondition?: Precondition): Promise<void>;
}
