import type { TodoCollection } from "../../src/todos/collection/todo-collection.js";
import { layOut } from "../../src/todos/file/file-layout.js";
import { HeldWrites } from "./held-writes.js";

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

/** What the file of a collection says. */
export function fileOf(todos: TodoCollection): FileContent {
  return JSON.parse(Buffer.concat(layOut(todos)).toString());
}

/** Held writes of a store. */
export function heldFileWrites(): HeldWrites<TodoCollection, FileContent> {
  return new HeldWrites(fileOf);
}
