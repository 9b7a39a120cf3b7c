import fc from "fast-check";
import { expect, test } from "vitest";
import { TodoIndex } from "../../../src/todos/collection/todo-index.js";
import { compareBy } from "../../../src/todos/collection/todo-order.js";
import { sortFields, type Todo } from "../../../src/todos/todo.js";

const time = "2026-01-01T00:00:00.000Z";
const todoOf = (id: number, value: number): Todo => ({
  id,
  title: `${value}`,
  completed: value % 2 === 0,
  createdAt: time,
  updatedAt: time,
});

/** Large enough for a tree of several levels in which changes empty whole nodes. */
const size = 600;
const change = fc.record({
  kind: fc.constantFrom("add" as const, "remove" as const, "replace" as const),
  from: fc.integer({ min: 1, max: 2 * size }),
  count: fc.integer({ min: 1, max: 200 }),
  value: fc.nat(5),
});

type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

interface Version {
  readonly index: TodoIndex;
  /** The expected items. */
  readonly expected: Map<number, Todo>;
}

/** A copy with a range of ids changed. */
function changed({ index, expected }: Version, { kind, from, count, value }: Change): Version {
  const next = { index: index.clone(), expected: new Map(expected) };
  for (let id = from; id < from + count; id += 1) {
    const after = todoOf(id, (id + value) % 7);
    changeOne(next, kind, after);
  }
  return next;
}

function changeOne({ index, expected }: Version, kind: Change["kind"], after: Todo): void {
  const before = expected.get(after.id);
  if (before === undefined) {
    if (kind !== "add") return;
    index.add(after);
    expected.set(after.id, after);
  } else if (kind === "remove") {
    index.remove(before);
    expected.delete(after.id);
  } else if (kind === "replace") {
    index.replace(before, after);
    expected.set(after.id, after);
  }
}

test("a clone of the index is ordered after any changes, and the original is unaffected", () => {
  const field = fc.constantFrom(...sortFields);
  fc.assert(
    fc.property(field, fc.array(change, { maxLength: 12 }), (sortedBy, changes) => {
      const first = Array.from({ length: size }, (_, n) => todoOf(n + 1, n % 7));
      const expected = new Map(first.map((todo) => [todo.id, todo]));
      const versions: Version[] = [{ index: TodoIndex.of(sortedBy, first), expected }];
      for (const one of changes) {
        const last = versions.at(-1);
        if (last !== undefined) versions.push(changed(last, one));
      }
      for (const { index, expected } of versions) {
        for (const direction of ["ascending", "descending"] as const) {
          const sorted = [...expected.values()].sort(compareBy([{ field: sortedBy, direction }]));
          expect([...index.scan(direction)]).toEqual(sorted);
        }
      }
    }),
    { numRuns: 60 },
  );
});
