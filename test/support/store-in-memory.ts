import { TodoCollection } from "../../src/todos/collection/todo-collection.js";
import { TodoStore, type TodoStoreOptions } from "../../src/todos/todo-store.js";

/** A store without a file. By default it starts empty and every write succeeds immediately. */
export function storeInMemory({
  initial = TodoCollection.empty(),
  persist = () => Promise.resolve(),
  ...options
}: Partial<TodoStoreOptions> = {}): TodoStore {
  return new TodoStore({ initial, persist, ...options });
}
