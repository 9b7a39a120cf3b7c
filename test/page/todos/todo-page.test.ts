import { describe, expect, it, test } from "vitest";
import {
  buildPagePath,
  isShown,
  isUnchanged,
  type KnownTodo,
  neighbourOf,
  type TodoPage,
  withNextPage,
  withoutTodo,
  withTodo,
} from "../../../src/page/todos/todo-page.js";

const todo = (id: number, completed = false): KnownTodo => ({
  id,
  title: `number ${id}`,
  completed,
  created_at: "2026-11-21T20:59:59.000Z",
  updated_at: "2026-11-21T20:59:59.000Z",
});
const page = (...items: KnownTodo[]): TodoPage => ({ items, nextCursor: null });
const idsOf = ({ items }: TodoPage) => items.map(({ id }) => id);

test.each([
  ["all", undefined, "/v1/todos?limit=50&sort=-id"],
  ["open", undefined, "/v1/todos?limit=50&sort=-id&completed=false"],
  ["done", "a+b/c=", "/v1/todos?limit=50&sort=-id&completed=true&cursor=a%2Bb%2Fc%3D"],
] as const)('the filter "%s" determines the request path', (filter, cursor, path) => {
  expect(buildPagePath(filter, cursor)).toBe(path);
});

test.each([
  ["all", [true, true]],
  ["open", [true, false]],
  ["done", [false, true]],
] as const)('of one open and one completed item, the filter "%s" shows %o', (filter, shown) => {
  expect([isShown(todo(1, false), filter), isShown(todo(1, true), filter)]).toEqual(shown);
});

describe("a page of to-dos", () => {
  it("is extended by the next page, without duplicates", () => {
    const next = withNextPage(page(todo(9), todo(8)), {
      data: [todo(8), todo(7)],
      pagination: { next_cursor: "c", has_more: true },
    });
    expect(idsOf(next)).toEqual([9, 8, 7]);
    expect(next.nextCursor).toBe("c");
  });

  it("shows a new item first, and a changed item in place", () => {
    expect(idsOf(withTodo(page(todo(2), todo(1)), todo(3), "all"))).toEqual([3, 2, 1]);
    const changed = withTodo(page(todo(2), todo(1)), todo(1, true), "all");
    expect(changed.items.map(({ completed }) => completed)).toEqual([false, true]);
  });

  it("removes items that no longer match the filter", () => {
    expect(idsOf(withTodo(page(todo(2), todo(1)), todo(1, true), "open"))).toEqual([2]);
    expect(idsOf(withTodo(page(todo(2)), todo(3), "done"))).toEqual([2]);
    expect(idsOf(withoutTodo(page(todo(2), todo(1)), 2))).toEqual([1]);
  });

  test.each([
    [3, 2],
    [2, 1],
    [1, 2],
    [9, undefined],
  ])("the neighbour of the removed item %d is item %s", (id, neighbour) => {
    expect(neighbourOf(page(todo(3), todo(2), todo(1)), id)).toBe(neighbour);
  });
});

test.each([
  [{}, true],
  [{ etag: '"a"' }, true],
  [{ title: "other" }, false],
  [{ completed: true }, false],
  [{ updated_at: "2026-11-21T21:00:00.000Z" }, false],
])("an item with the difference %o counts as unchanged: %s", (difference, expected) => {
  expect(isUnchanged(todo(1), { ...todo(1), ...difference })).toBe(expected);
});
