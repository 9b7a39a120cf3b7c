import { setImmediate } from "node:timers/promises";
import { Low } from "lowdb";
import { GgufdError } from "../core/errors.js";
import type { ExclusiveFilePorts } from "../files/exclusive-file.js";
import { GroupCommit } from "../files/group-commit.js";
import { createUnusableDataError } from "../files/locked-data.js";
import { createStorageError } from "../files/storage-error.js";
import { writeFailureOf } from "../files/system-errors.js";
import { TodoCollection } from "./collection/todo-collection.js";
import { TodoFileAdapter } from "./file/todo-file-adapter.js";
import type {
  Creation,
  IdempotencyKey,
  NewTodo,
  Precondition,
  Todo,
  TodoChange,
  TodoPage,
  TodoQuery,
  Todos,
} from "./todo.js";
import { changeTodo, createTodo, locate, removeTodo } from "./todo-changes.js";

/** Maximum length of the queue after the write in flight: some seconds of work on a slow disk. */
export const MAX_QUEUED_CHANGES = 10_000;

/** Milliseconds since 1970. */
export type Clock = () => number;

export interface TodoStoreOptions {
  readonly initial: TodoCollection;
  /** Makes the collection durable, or rejects. Never called while an earlier call is pending. */
  readonly persist: (todos: TodoCollection) => Promise<void>;
  /** Called on close, after the last write. */
  readonly release?: () => Promise<void>;
  /** @default Date.now */
  readonly clock?: Clock;
}

export interface OpenOptions extends ExclusiveFilePorts {
  /** @default Date.now */
  readonly clock?: Clock;
}

/**
 * Opens the todo file and locks out other processes until the store is closed. A missing file is
 * created, with its folders, by the first change: a daemon whose todos are never used creates no
 * file and needs no writable folder.
 *
 * `Low` is constructed here because lowdb's presets keep everything in memory when `NODE_ENV` is
 * `test`.
 *
 * @throws {StartupError} when the file is in use, cannot be read or is not a todo file; it is then
 * left untouched
 */
export async function openTodoStore(
  path: string,
  { clock, ...ports }: OpenOptions = {},
): Promise<TodoStore> {
  const adapter = new TodoFileAdapter(path, ports);
  const low = new Low<TodoCollection>(adapter, TodoCollection.empty());
  try {
    await low.read();
  } catch (cause) {
    await adapter.close();
    throw createUnusableDataError(`--todos ${path}: the to-do file`, cause);
  }
  const persist = async (todos: TodoCollection) => {
    low.data = todos;
    await low.write();
  };
  return new TodoStore({ initial: low.data, persist, release: () => adapter.close(), clock });
}

/**
 * The to-do items in memory. A change is visible to readers only once it is durable. Changes that
 * arrive during a write are committed together.
 */
export class TodoStore implements Todos {
  readonly #commits: GroupCommit<TodoCollection>;
  readonly #clock: Clock;
  readonly #release: () => Promise<void>;
  #closed = false;

  constructor({ initial, persist, release, clock = Date.now }: TodoStoreOptions) {
    this.#clock = clock;
    this.#release = release ?? (() => Promise.resolve());
    this.#commits = new GroupCommit({
      initial,
      createDraft: (todos) => {
        const draft = todos.createDraft();
        draft.idempotency.dropExpired(clock());
        return draft;
      },
      isChanged: (draft, original) => draft.revision !== original.revision,
      persist: async (todos) => {
        try {
          await persist(todos);
        } catch (cause) {
          throw cause instanceof GgufdError
            ? cause
            : createStorageError(writeFailureOf(cause), cause);
        }
      },
      isDueToSize: (failure) => failure instanceof GgufdError && failure.code === "storage_full",
    });
  }

  list(): readonly Todo[] {
    return this.#commits.committed.list();
  }

  async readPage(query: TodoQuery): Promise<TodoPage> {
    const steps = this.#commits.committed.readPageInSteps(query);
    let step = steps.next();
    while (!step.done) {
      await setImmediate();
      step = steps.next();
    }
    return step.value;
  }

  find(id: number): Todo {
    return locate(this.#commits.committed, id);
  }

  create(todo: NewTodo, idempotency?: IdempotencyKey): Promise<Creation> {
    return this.#change((draft, now) => createTodo(draft, { todo, idempotency, now }));
  }

  change(id: number, change: TodoChange, precondition?: Precondition): Promise<Todo> {
    return this.#change((draft, now) => changeTodo(draft, { id, change, precondition, now }));
  }

  remove(id: number, precondition?: Precondition): Promise<void> {
    return this.#change((draft) => removeTodo(draft, { id, precondition }));
  }

  /** Graceful drain: refuses further changes and resolves when earlier ones are settled. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#commits.whenSettled();
    await this.#release();
  }

  async #change<Result>(change: (draft: TodoCollection, now: number) => Result): Promise<Result> {
    if (this.#closed) {
      throw new GgufdError(
        "shutting_down",
        "The server is shutting down; the to-do list is closed.",
        {
          retryAfterSeconds: 5,
        },
      );
    }
    if (this.#commits.queueLength >= MAX_QUEUED_CHANGES) {
      throw new GgufdError(
        "too_many_changes",
        `Expected at most ${MAX_QUEUED_CHANGES} changes to wait for the disk, got one more.`,
        { retryAfterSeconds: 1 },
      );
    }
    return this.#commits.submit((draft) => change(draft, this.#clock()));
  }
}
