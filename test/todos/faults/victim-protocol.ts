import type { Todo } from "../../../src/todos/todo.js";
import type { AttemptedChange } from "./durability-checker.js";

/** One output line of a victim: a change that it attempts, or one that was acknowledged. */
export type VictimEvent =
  | { readonly kind: "ready" }
  | {
      readonly kind: "attempted";
      readonly number: number;
      readonly change: AttemptedChange;
    }
  | {
      readonly kind: "acknowledged";
      readonly number: number;
      /** The result of a creation or a change, without the title, which the test can derive. */
      readonly todo: Omit<Todo, "title"> | undefined;
    };

/** The input line that starts a victim. */
export interface VictimTask {
  readonly path: string;
  readonly round: number;
}

const ROUND_MS = 2 * 60 * 60 * 1000;

/** The clock of a round: two hours ahead of the previous round's, so that keys expire. */
export function clockOf(round: number): () => number {
  return () => Date.now() + round * ROUND_MS;
}

/**
 * The title of an item, from the short name that a victim reports. Long titles make the file slow
 * to write, so that kills hit a write. Items with a key have short titles, because they are stored
 * twice and for long.
 */
export function titleOf({ name, key }: { name: string; key: string | undefined }): string {
  return key === undefined ? name.padEnd(2000, ".") : name;
}
