import { expect, test } from "vitest";
import { buildPosition, isAfter } from "../../../src/todos/collection/todo-order.js";
import type { SortKey } from "../../../src/todos/todo.js";

const time = "2026-01-01T00:00:00.000Z";
const todo = { id: 2, title: "b", completed: true, createdAt: time, updatedAt: time };
const order: SortKey[] = [
  { field: "completed", direction: "ascending" },
  { field: "title", direction: "descending" },
];

test("a page position has a value for every sort key", () => {
  expect(buildPosition(todo, order)).toEqual({ values: [true, "b"], id: 2 });
});

test("comparing an item with a position that lacks a value fails", () => {
  expect(() => isAfter(todo, { values: [true], id: 1 }, order)).toThrow(
    "expected a value for the sort key title, got none",
  );
});
