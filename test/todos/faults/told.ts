import type { Todo } from "../../../src/todos/todo.js";
import type { Try } from "./witness.js";

/** One line of a victim: what it tries, and what was acknowledged. */
export type Told =
  | { readonly kind: "ready" }
  | { readonly kind: "tried"; readonly number: number; readonly wanted: Try }
  | {
      readonly kind: "acknowledged";
      readonly number: number;
      /** What a creation or a change was answered with; its title is known. */
      readonly todo: Omit<Todo, "title"> | undefined;
    };

/** What a victim is told before it begins, in one line. */
export interface Order {
  readonly path: string;
  readonly round: number;
}

const ROUND_MS = 2 * 60 * 60 * 1000;

/** The clock of a round: each is two hours after the one before, so that keys get too old. */
export function clockOf(round: number): () => number {
  return () => Date.now() + round * ROUND_MS;
}

/**
 * The title of an item, from the short name under which a victim speaks of it. Long titles make a
 * file that takes a while to write, so that kills fall into it; of items with a key they would be
 * kept twice, and for long.
 */
export function titleOf({ name, key }: { name: string; key: string | undefined }): string {
  return key === undefined ? name.padEnd(2000, ".") : name;
}
