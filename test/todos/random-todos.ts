import fc from "fast-check";
import type { TodoCollection } from "../../src/todos/collection/todo-collection.js";
import { changeTodo, createTodo, removeTodo } from "../../src/todos/todo-changes.js";

/** A change to a collection. Items are addressed by list index, so that they exist. */
export type RandomChange =
  | {
      readonly kind: "create";
      readonly title: string;
      readonly completed: boolean;
      readonly key: string | undefined;
    }
  | {
      readonly kind: "change";
      readonly at: number;
      readonly title: string | undefined;
      readonly completed: boolean | undefined;
    }
  | { readonly kind: "remove"; readonly at: number }
  /** The clock moves forwards or backwards. */
  | { readonly kind: "wait"; readonly milliseconds: number };

/** Titles that are equal, differ in case, exceed the compared prefix, or are arbitrary. */
const title = fc.oneof(
  fc.constantFrom("", "a", "A", "b", "\uFFFF", "\u{1F600}", "x".repeat(200), "x".repeat(199)),
  fc.constantFrom("1", "2").map((end) => "x".repeat(200) + end),
  fc.string({ unit: "binary", maxLength: 3 }),
);

export const randomChange: fc.Arbitrary<RandomChange> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("create" as const),
      title,
      completed: fc.boolean(),
      key: fc.option(fc.string({ maxLength: 2 }), { nil: undefined }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("change" as const),
      at: fc.nat(1000),
      title: fc.option(title, { nil: undefined }),
      completed: fc.option(fc.boolean(), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("remove" as const), at: fc.nat(1000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      milliseconds: fc.constantFrom(1, 1000, -500, 90_000_000),
    }),
  },
);

/**
 * Applies changes to a draft, as the store does.
 * @returns the clock's final time, in milliseconds since 1970
 */
export function applyChanges(
  draft: TodoCollection,
  changes: readonly RandomChange[],
  start = Date.parse("2026-01-01T00:00:00.000Z"),
): number {
  let now = start;
  for (const change of changes) {
    if (change.kind === "wait") {
      now += change.milliseconds;
    } else if (change.kind === "create") {
      const { title, completed, key } = change;
      const idempotency = key === undefined ? undefined : { key, fingerprint: "f" };
      draft.idempotency.dropExpired(now);
      createTodo(draft, { todo: { title, completed }, idempotency, now });
    } else if (draft.list().length > 0) {
      const { id = 0 } = draft.list()[change.at % draft.list().length] ?? {};
      if (change.kind === "remove") {
        removeTodo(draft, { id, precondition: undefined });
      } else {
        const { title, completed } = change;
        const fields = {
          ...(title !== undefined && { title }),
          ...(completed !== undefined && { completed }),
        };
        changeTodo(draft, { id, change: fields, precondition: undefined, now });
      }
    }
  }
  return now;
}
