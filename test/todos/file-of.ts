import type { TodoCollection } from "../../src/todos/collection/todo-collection.js";
import { serialise } from "../../src/todos/file/todo-file.js";
import { HeldWrites } from "../support/held-writes.js";

export interface FileTodo {
  readonly id: number;
  readonly title: string;
  readonly completed: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The file as JSON. */
export interface FileContent {
  readonly version: number;
  readonly nextId: number;
  readonly items: readonly FileTodo[];
  readonly idempotencyKeys: readonly {
    readonly key: string;
    readonly fingerprint: string;
    readonly todo: FileTodo;
    readonly at: string;
  }[];
}

/** The parsed content of a collection's file. */
export function fileOf(todos: TodoCollection): FileContent {
  return JSON.parse(Buffer.concat(serialise(todos)).toString());
}

/** Writes of a store that stay pending until the test ends them. */
export function heldFileWrites(): HeldWrites<TodoCollection, FileContent> {
  return new HeldWrites(fileOf);
}
