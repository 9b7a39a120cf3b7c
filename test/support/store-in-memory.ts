import { TodoCollection } from "../../src/todos/collection/todo-collection.js";
import { TodoStore, type TodoStoreOptions } from "../../src/todos/todo-store.js";

/** A store that has no file. Without options it starts empty, and everything is kept at once. */
export function storeInMemory({
  initial = TodoCollection.empty(),
  persist = () => Promise.resolve(),
  ...options
}: Partial<TodoStoreOptions> = {}): TodoStore {
  return new TodoStore({ initial, persist, ...options });
}
