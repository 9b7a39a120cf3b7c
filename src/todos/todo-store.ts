import { Low } from "lowdb";
import { GgufdError } from "../core/errors.js";
import { reasonOf } from "../core/reason-of.js";
import { StartupError } from "../core/startup-error.js";
import { DurableJsonAdapter } from "./durable-json-adapter.js";
import { GroupCommit } from "./group-commit.js";
import type { NewTodo, Todo, Todos } from "./todo.js";
import { addTodo, draftOf, removeTodo, setTodoCompleted, toTodo } from "./todo-changes.js";
import { emptyTodoFile, parseTodoFile, type TodoFile } from "./todo-file.js";

/**
 * Opens the todo file. A missing file is made, with its folders, by the first change: a daemon that
 * is never asked for todos leaves no trace, and needs no place that it can write to.
 *
 * `Low` is built here and not by lowdb's presets, which keep everything in memory when `NODE_ENV` is
 * `test`.
 *
 * @throws {StartupError} when the file cannot be read or is no todo file; it is then not touched
 */
export async function openTodoStore(path: string): Promise<TodoStore> {
  const low = new Low(new DurableJsonAdapter(path, parseTodoFile), emptyTodoFile());
  try {
    await low.read();
  } catch (cause) {
    throw new StartupError(
      `The todo file ${path} cannot be used: ${reasonOf(cause)}. It was left untouched.`,
      cause,
    );
  }
  return new TodoStore(low.data, async (file) => {
    low.data = file;
    await low.write();
  });
}

/**
 * The to-do items in memory, each change persisted before anyone sees it. Changes that come in while
 * one is being written are written together.
 */
export class TodoStore implements Todos {
  readonly #commits: GroupCommit<TodoFile>;
  #closed = false;

  /** @param persist keeps the file's content for good, or rejects */
  constructor(initial: TodoFile, persist: (file: TodoFile) => Promise<void>) {
    this.#commits = new GroupCommit({
      initial,
      draftOf,
      persist: async (file) => {
        try {
          await persist(file);
        } catch (cause) {
          throw new GgufdError("internal_error", "The change could not be stored.", { cause });
        }
      },
    });
  }

  list(): readonly Todo[] {
    return this.#commits.committed.items.map(toTodo);
  }

  create(todo: NewTodo): Promise<Todo> {
    return this.#change((draft) => addTodo(draft, todo));
  }

  setCompleted(id: number, completed: boolean): Promise<void> {
    return this.#change((draft) => setTodoCompleted(draft, id, completed));
  }

  remove(id: number): Promise<void> {
    return this.#change((draft) => removeTodo(draft, id));
  }

  /** Refuses further changes and resolves when those submitted before are settled. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#commits.settled();
  }

  async #change<Result>(change: (draft: TodoFile) => Result): Promise<Result> {
    if (this.#closed) {
      throw new GgufdError("shutting_down", "The server is shutting down; the todos are closed.", {
        retryAfterSeconds: 5,
      });
    }
    return this.#commits.submit(change);
  }
}
