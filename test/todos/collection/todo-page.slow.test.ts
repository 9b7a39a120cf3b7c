import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TodoCollection } from "../../../src/todos/collection/todo-collection.js";
import { TodoIndex } from "../../../src/todos/collection/todo-index.js";
import { selectPage } from "../../../src/todos/collection/todo-page.js";
import {
  type SortKey,
  sortFields,
  type Todo,
  type TodoFilter,
  type TodoPage,
  type TodoPosition,
  type TodoQuery,
} from "../../../src/todos/todo.js";
import { applyChanges, randomChange } from "../random-todos.js";

const direction = fc.constantFrom("ascending" as const, "descending" as const);
const sortKey = fc.record({ field: fc.constantFrom(...sortFields), direction });
const order = fc.array(sortKey, { maxLength: 4 });
const filter: fc.Arbitrary<TodoFilter> = fc.record(
  {
    completed: fc.boolean(),
    titleContains: fc.constantFrom("a", "A", "x", "", ".", "\\", "\uDE00", "[a"),
  },
  { requiredKeys: [] },
);
/** Reads after which an index scan falls back to a full pass. */
const maxScanned = fc.constantFrom(0, 1, 3, 10, 5000);

function pageFrom(list: readonly Todo[], maxScanned: number, query: TodoQuery): TodoPage {
  const index = (field: SortKey["field"]) => TodoIndex.of(field, list);
  const indexes = {
    id: index("id"),
    title: index("title"),
    completed: index("completed"),
    createdAt: index("createdAt"),
    updatedAt: index("updatedAt"),
  };
  return selectPage({ indexes, all: () => list, maxScanned }, query);
}

/** Reference implementation: filter, sort everything, and take the items after the position. */
function naivePage(list: readonly Todo[], { filter, order, after, limit }: TodoQuery): TodoPage {
  const matching = list.filter(
    (todo) =>
      (filter.completed === undefined || todo.completed === filter.completed) &&
      todo.title.toLowerCase().includes((filter.titleContains ?? "").toLowerCase()),
  );
  const sorted = matching.map((todo) => ({ todo, position: naivePosition(todo, order) }));
  sorted.sort((a, b) => comparePositions(a.position, b.position, order));
  const remaining = sorted.filter(
    ({ position }) => after === undefined || comparePositions(position, after, order) > 0,
  );
  const page = remaining.slice(0, limit);
  return {
    items: page.map(({ todo }) => todo),
    next: remaining.length > limit ? page.at(-1)?.position : undefined,
  };
}

function naivePosition(todo: Todo, order: readonly SortKey[]): TodoPosition {
  const values = order.map(({ field }) =>
    field === "title" ? todo.title.substring(0, 200) : todo[field],
  );
  return { values, id: todo.id };
}

/** Ids are unique, so keys after the id are irrelevant, even if the item has changed since. */
function comparePositions(a: TodoPosition, b: TodoPosition, order: readonly SortKey[]): number {
  for (const [index, { field, direction }] of order.entries()) {
    const [one, other] = [a.values[index] ?? 0, b.values[index] ?? 0];
    if (one !== other) return one < other === (direction === "ascending") ? -1 : 1;
    if (field === "id") return 0;
  }
  return a.id - b.id;
}

/** Titles for which case folding equals `toLowerCase`. */
const isPlain = (list: readonly Todo[]) =>
  list.every(({ title }) => !/[^\p{ASCII}\uFFFF]/u.test(title));

/** A collection as it is after reading it from the file. */
const collection = (changes: Parameters<typeof applyChanges>[1]) => {
  const made = TodoCollection.empty();
  applyChanges(made, changes);
  const records = made.list().map((todo) => ({ todo, unknown: undefined }));
  return TodoCollection.of({ nextId: made.nextId, records, idempotency: [], unknown: {} });
};
const changes = fc.array(randomChange, { maxLength: 40 });

describe("pages", () => {
  test("equal those of a sorted list, with an index scan and with a full pass", () => {
    fc.assert(
      fc.property(
        changes,
        order,
        filter,
        fc.integer({ min: 1, max: 8 }),
        maxScanned,
        (...input) => {
          const [made, order, filter, limit, maxScanned] = input;
          const list = collection(made).list();
          fc.pre(filter.titleContains === undefined || isPlain(list));
          let after: TodoPosition | undefined;
          do {
            const query = { filter, order, limit, ...(after && { after }) };
            const expected = naivePage(list, query);
            expect(pageFrom(list, maxScanned, query)).toEqual(expected);
            after = expected.next;
          } while (after !== undefined);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("continue after the previous page, despite any changes in between", () => {
    const completed = fc.constantFrom<TodoFilter>({}, { completed: true }, { completed: false });
    const step = fc.record({
      limit: fc.integer({ min: 1, max: 5 }),
      changes: fc.array(randomChange, { maxLength: 5 }),
    });
    fc.assert(
      fc.property(changes, order, completed, fc.array(step, { maxLength: 12 }), (...input) => {
        const [made, order, filter, steps] = input;
        let todos = collection(made);
        let after: TodoPosition | undefined;
        for (const { limit, changes } of steps) {
          const query = { filter, order, limit, ...(after && { after }) };
          const page = todos.readPage(query);
          expect(page).toEqual(naivePage(todos.list(), query));
          after = page.next;
          const draft = todos.createDraft();
          applyChanges(draft, changes);
          expect(todos.readPage(query)).toEqual(page);
          todos = draft;
        }
      }),
      { numRuns: 500 },
    );
  });

  test("after the position of a removed item begin with the next item", () => {
    const list = collection(
      ["a", "b", "d"].map((title) => ({ kind: "create", title, completed: false, key: undefined })),
    ).list();
    const order: SortKey[] = [{ field: "title", direction: "ascending" }];
    const after = { values: ["c"], id: 9 };
    expect(pageFrom(list, 5000, { filter: {}, order, after, limit: 9 }).items).toEqual([list[2]]);
  });

  test("with a position that lacks the value of a sort key are rejected", () => {
    const order: SortKey[] = [{ field: "title", direction: "ascending" }];
    const query = { filter: {}, order, after: { values: [], id: 1 }, limit: 1 };
    expect(() => pageFrom([], 5000, query)).toThrow(
      "expected a position with a value for each of 1 sort keys, got 0",
    );
  });

  test("match a substring of the title case-insensitively", () => {
    const titles = ["Straße", "STRASSE", "ΟΔΟΣ", "οδός", "a.b", "A+B", "(x"];
    const list = collection(
      titles.map((title) => ({ kind: "create", title, completed: false, key: undefined })),
    ).list();
    const found = (titleContains: string) =>
      pageFrom(list, 5000, { filter: { titleContains }, order: [], limit: 9 }).items.map(
        ({ title }) => title,
      );
    expect(found("stra")).toEqual(["Straße", "STRASSE"]);
    expect(found("οδοσ")).toEqual(["ΟΔΟΣ"]);
    expect(found(".b")).toEqual(["a.b"]);
    expect(found("a+")).toEqual(["A+B"]);
    expect(found("(X")).toEqual(["(x"]);
    expect(found("")).toHaveLength(7);
  });

  test("order titles by their first 200 code units, and then by id", () => {
    const title = "x".repeat(200);
    const list = collection(
      ["b", "a"].map((end) => ({
        kind: "create",
        title: title + end,
        completed: false,
        key: undefined,
      })),
    ).list();
    for (const direction of ["ascending", "descending"] as const) {
      const query = { filter: {}, order: [{ field: "title", direction }] as const, limit: 1 };
      expect(pageFrom(list, 5000, query)).toEqual({
        items: [list[0]],
        next: { values: [title], id: 1 },
      });
    }
  });
});

describe("a search in long titles", () => {
  /** Each item takes the maximum number of comparisons of a filter. */
  const todos = (count: number) =>
    collection(
      Array.from({ length: count }, () => ({
        ...{ kind: "create", title: `${"é".repeat(9_999)}x`, completed: false, key: undefined },
      })),
    );
  const query = (titleContains: string): TodoQuery => ({
    ...{ filter: { titleContains }, order: [], limit: 100 },
  });
  /** The page, and the number of times that the computation yielded. */
  const inSteps = (steps: Generator<void, TodoPage>, between = () => {}) => {
    let turns = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      turns++;
      between();
    }
    return { turns, page: step.value };
  };

  test("is divided into steps, each of some millions of comparisons", () => {
    const { turns, page } = inSteps(todos(20).readPageInSteps(query(`${"é".repeat(999)}x`)));
    expect(turns).toBe(20);
    expect(page.items).toHaveLength(20);
    expect(inSteps(todos(20).readPageInSteps(query("x"))).turns).toBe(0);
  });

  test("returns the state at its start, despite any changes between two steps", () => {
    const before = todos(3);
    const { page } = inSteps(before.readPageInSteps(query(`${"é".repeat(999)}x`)), () => {
      const draft = before.createDraft();
      for (const todo of before.list()) draft.remove(todo);
    });
    expect(page.items).toEqual(before.list());
  });
});

describe("pages of large lists", () => {
  /** Item reads while a list is paged: the cost of a page, independent of the machine. */
  function cost(size: number, order: readonly SortKey[]): number {
    let reads = 0;
    const time = "2026-01-01T00:00:00.000Z";
    const list = Array.from({ length: size }, (_, n): Todo => {
      const todo = { id: n + 1, title: `${n}`, createdAt: time, updatedAt: time };
      return {
        ...todo,
        get completed() {
          reads += 1;
          return n % 2 === 0;
        },
      };
    });
    const index = TodoIndex.of("completed", list);
    const indexes = { completed: index } as Parameters<typeof selectPage>[0]["indexes"];
    const after = { values: [true], id: size / 2 };
    reads = 0;
    const all = () => {
      throw new Error("expected an index scan, got a full pass");
    };
    selectPage({ indexes, all }, { filter: {}, order, after, limit: 100 });
    return reads;
  }

  test.each(["ascending", "descending"] as const)(
    "need few more reads than pages of small lists, from the middle of many equal items, %s",
    (direction) => {
      const order = [{ field: "completed", direction }] as const;
      expect(cost(50_000, order)).toBeLessThan(2 * cost(500, order));
    },
  );
});
