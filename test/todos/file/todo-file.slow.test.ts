import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TodoCollection } from "../../../src/todos/collection/todo-collection.js";
import { parseTodoFile, serialise } from "../../../src/todos/file/todo-file.js";
import { applyChanges, randomChange } from "../random-todos.js";

const text = (todos: TodoCollection) => Buffer.concat(serialise(todos)).toString();

/** The same collection without cached text. */
const uncached = (todos: TodoCollection) =>
  TodoCollection.of(parseTodoFile(JSON.parse(text(todos))));

const create = (title: string, key?: string) =>
  ({ kind: "create", title, completed: false, key }) as const;

describe("the text of a todo file", () => {
  test("has a line for each item and each idempotency key", () => {
    const todos = TodoCollection.empty();
    applyChanges(todos, [create("a\n", "k"), create("b")]);
    const times = '"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z"';
    const first = `{"id":1,"title":"a\\n","completed":false,${times}}`;
    expect(text(todos).split("\n")).toEqual([
      '{"version":2,"nextId":3,"items":[',
      `${first},`,
      `{"id":2,"title":"b","completed":false,${times}}`,
      '],"idempotencyKeys":[',
      `{"key":"k","fingerprint":"f","todo":${first},"at":"2026-01-01T00:00:00.000Z"}`,
      "]}",
      "",
    ]);
  });

  test("with an empty list is short", () => {
    expect(text(TodoCollection.empty())).toBe(
      '{"version":2,"nextId":1,"items":[],"idempotencyKeys":[]}\n',
    );
  });

  test("preserves unknown fields of the file and of items", () => {
    const times = {
      created_at: "2026-01-01T00:00:00.000Z",
      updated_at: "2026-01-01T00:00:00.000Z",
    };
    const item = { id: 1, title: "a", completed: false, ...times, tags: [1], "": null };
    const file = { version: 2, nextId: 2, comment: "x", items: [item], idempotencyKeys: [] };
    expect(JSON.parse(text(TodoCollection.of(parseTodoFile(file))))).toEqual(file);
  });

  test("is serialised again only if the collection has changed", () => {
    const todos = TodoCollection.empty();
    applyChanges(
      todos,
      Array.from({ length: 1000 }, (_, n) => create(`${n}`, `${n}`)),
    );
    const before = serialise(todos);
    const draft = todos.createDraft();
    applyChanges(draft, [{ kind: "change", at: 500, title: "changed", completed: undefined }]);
    const chunks = serialise(draft);
    const newChunks = chunks.filter((chunk) => !before.includes(chunk));
    const bytes = newChunks.reduce((sum, { length }) => sum + length, 0);
    expect(bytes).toBeLessThan(Buffer.concat(chunks).length / 4);
    expect(text(todos)).toBe(Buffer.concat(before).toString());
  });
});

test("the cached text equals the text serialised without a cache, after any committed or discarded changes", () => {
  const group = fc.record({
    changes: fc.array(randomChange, { maxLength: 80 }),
    isKept: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(group, { maxLength: 8 }), (groups) => {
      let todos = TodoCollection.empty();
      let now: number | undefined;
      for (const { changes, isKept } of groups) {
        const draft = todos.createDraft();
        now = applyChanges(draft, changes, now);
        expect(text(draft)).toBe(text(uncached(draft)));
        if (isKept) todos = draft;
        expect(text(todos)).toBe(text(uncached(todos)));
      }
    }),
    { numRuns: 200 },
  );
});
