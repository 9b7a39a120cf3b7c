import { AssertionError } from "node:assert";
import { expect, test } from "vitest";
import { GroupCommit } from "../../../src/files/group-commit.js";
import { TodoCollection } from "../../../src/todos/collection/todo-collection.js";

const time = "2026-01-01T00:00:00.000Z";
const todoOf = (id: number) => ({
  id,
  title: "",
  completed: false,
  createdAt: time,
  updatedAt: time,
});

test.each([2, 0])(
  "adding an item with the id %i fails if the next id is 1, and adds nothing",
  (id) => {
    const todos = TodoCollection.empty();
    expect(() => todos.add(todoOf(id))).toThrow(`expected the id 1, got ${id}`);
    expect(todos.list()).toEqual([]);
    expect(todos.revision).toBe(0);
  },
);

test("a failed assertion rejects only its own change", async () => {
  const commits = new GroupCommit<TodoCollection>({
    initial: TodoCollection.empty(),
    createDraft: (todos) => todos.createDraft(),
    isChanged: (draft, original) => draft.revision !== original.revision,
    persist: () => Promise.resolve(),
  });
  const outcomes = await Promise.allSettled(
    [1, 9, 2].map((id) => commits.submit((todos) => todos.add(todoOf(id)))),
  );
  expect(outcomes).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: expect.any(AssertionError) },
    { status: "fulfilled" },
  ]);
  expect(commits.committed.list().map(({ id }) => id)).toEqual([1, 2]);
});
