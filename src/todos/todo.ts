/** One to-do item. */
export interface Todo {
  /** Starts at 1. Never reused, not even after a deletion or a restart. */
  readonly id: number;
  readonly title: string;
  readonly completed: boolean;
  /** RFC 3339 in UTC with milliseconds: `2026-11-21T20:59:59.000Z`. */
  readonly createdAt: string;
  /** Same format; equal to `createdAt` until the first change. */
  readonly updatedAt: string;
}

/** The fields of an item that a client sets. */
export type NewTodo = Pick<Todo, "title" | "completed">;

/** The fields that a change sets; absent fields keep their values. */
export type TodoChange = Partial<NewTodo>;

/** A precondition on the item's current state: throws a `GgufdError` to refuse the change. */
export type Precondition = (current: Todo) => void;

/** Makes a retried creation safe: the item is created once. */
export interface IdempotencyKey {
  readonly key: string;
  /**
   * Name of the API key that sent the request; idempotency keys of different API keys never match.
   * Absent: the server has no API keys.
   */
  readonly owner?: string;
  /** Digest of the request: detects a key that is reused for a different one. */
  readonly fingerprint: string;
}

export interface Creation {
  /** The item as it was created, even if it was changed or removed since. */
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

/** Items must satisfy all conditions that are present. */
export interface TodoFilter {
  readonly completed?: boolean;
  /** Substring of the title, matched case-insensitively (Unicode simple case folding). */
  readonly titleContains?: string;
}

/**
 * A position in a sort order, for keyset pagination: the value of an item for every sort key, and
 * its id. Titles are compared by, and stored here as, their first 200 UTF-16 code units.
 */
export interface TodoPosition {
  readonly values: readonly (string | number | boolean)[];
  readonly id: number;
}

export interface TodoQuery {
  readonly filter: TodoFilter;
  /**
   * The most significant key first. Items that are equal in all keys are ordered by ascending id,
   * whatever the directions.
   */
  readonly order: readonly SortKey[];
  /** Only items after this position, which need not exist any more. */
  readonly after?: TodoPosition;
  /** Maximum number of items in the page, a positive integer. */
  readonly limit: number;
}

export interface TodoPage {
  readonly items: readonly Todo[];
  /** The position of the last item, if more items follow it. */
  readonly next: TodoPosition | undefined;
}

/**
 * The to-do items. A change resolves once it is durable, and only then becomes visible to readers.
 *
 * A change rejects with a `GgufdError`: `storage_full`, `storage_unavailable` or `internal_error`
 * when it could not be made durable (it then has no effect), `too_many_changes` when the queue is
 * full, `shutting_down` when the collection is closed.
 */
export interface Todos {
  /** All items in order of id. Never waits for a change. */
  list(): readonly Todo[];

  /** A page of the items as they are now, filtered and ordered. Never waits for a change. */
  readPage(query: TodoQuery): Promise<TodoPage>;

  /** @throws {GgufdError} `not_found` when no item has the id */
  find(id: number): Todo;

  /** @throws {GgufdError} `idempotency_key_reused` when the key has another fingerprint */
  create(todo: NewTodo, idempotency?: IdempotencyKey): Promise<Creation>;

  /** @throws {GgufdError} `not_found` when no item has the id, or the precondition's error */
  change(id: number, change: TodoChange, precondition?: Precondition): Promise<Todo>;

  /** @throws {GgufdError} `not_found` when no item has the id, or the precondition's error */
  remove(id: number, precondition?: Precondition): Promise<void>;
}
