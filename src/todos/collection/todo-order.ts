import assert from "node:assert/strict";
import type { SortField, SortKey, Todo, TodoPosition } from "../todo.js";

/** UTF-16 code units of a title that are compared. Bounds the cursors, which contain them. */
export const TITLE_UNITS_COMPARED = 200;

export type SortValue = TodoPosition["values"][number];
export type Compare<Item> = (a: Item, b: Item) => number;

/**
 * Compares values of one field: numbers by size, strings by UTF-16 code units, false before true.
 * RFC 3339 in UTC with milliseconds sorts as text.
 */
export function compareValues<Value extends SortValue>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** One comparison function per field, for speed: these run for every item of a sorted group. */
const comparators: Readonly<Record<SortField, Compare<Todo>>> = {
  id: (a, b) => a.id - b.id,
  title: (a, b) => compareValues(toTitlePrefix(a.title), toTitlePrefix(b.title)),
  completed: (a, b) => Number(a.completed) - Number(b.completed),
  createdAt: (a, b) => compareValues(a.createdAt, b.createdAt),
  updatedAt: (a, b) => compareValues(a.updatedAt, b.updatedAt),
};

/** The value by which a field orders an item. */
export function sortValueOf(todo: Todo, field: SortField): SortValue {
  return field === "title" ? toTitlePrefix(todo.title) : todo[field];
}

/** The position of an item in an order. */
export function buildPosition(todo: Todo, order: readonly SortKey[]): TodoPosition {
  return { values: order.map(({ field }) => sortValueOf(todo, field)), id: todo.id };
}

/** Compares items by the keys of an order, then by ascending id. */
export function compareBy(order: readonly SortKey[]): Compare<Todo> {
  return order
    .map(({ field, direction }) => applyDirection(comparators[field], direction))
    .reduceRight((next, first) => (a, b) => first(a, b) || next(a, b), comparators.id);
}

/** Whether an item comes after a position, which must have a value for every key of the order. */
export function isAfter(todo: Todo, position: TodoPosition, order: readonly SortKey[]): boolean {
  for (const [index, { field, direction }] of order.entries()) {
    const value = position.values[index];
    if (value === undefined) assert.fail(`expected a value for the sort key ${field}, got none`);
    const difference = compareValues(sortValueOf(todo, field), value);
    if (difference !== 0) return direction === "ascending" ? difference > 0 : difference < 0;
  }
  return todo.id > position.id;
}

function applyDirection(compare: Compare<Todo>, direction: SortKey["direction"]): Compare<Todo> {
  return direction === "ascending" ? compare : (a, b) => compare(b, a);
}

function toTitlePrefix(title: string): string {
  return title.length <= TITLE_UNITS_COMPARED ? title : title.slice(0, TITLE_UNITS_COMPARED);
}
