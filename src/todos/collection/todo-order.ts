import type { SortField, SortKey, Todo, TodoPosition } from "../todo.js";

/** UTF-16 code units of a title that count for its order: cursors, which carry them, stay short. */
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

/** One function for each field, because they are called for every item of a sorted group. */
const compareIn: Readonly<Record<SortField, Compare<Todo>>> = {
  id: (a, b) => a.id - b.id,
  title: (a, b) => compareValues(cutTitle(a.title), cutTitle(b.title)),
  completed: (a, b) => Number(a.completed) - Number(b.completed),
  createdAt: (a, b) => compareValues(a.createdAt, b.createdAt),
  updatedAt: (a, b) => compareValues(a.updatedAt, b.updatedAt),
};

/** What an item is ordered by under a field. */
export function sortValueOf(todo: Todo, field: SortField): SortValue {
  return field === "title" ? cutTitle(todo.title) : todo[field];
}

/** The place of an item in an order. */
export function positionOf(todo: Todo, order: readonly SortKey[]): TodoPosition {
  return { values: order.map(({ field }) => sortValueOf(todo, field)), id: todo.id };
}

/** Compares items in an order; those that are equal in all keys by their ids, always ascending. */
export function compareBy(order: readonly SortKey[]): Compare<Todo> {
  return order
    .map(({ field, direction }) => directed(compareIn[field], direction))
    .reduceRight((next, first) => (a, b) => first(a, b) || next(a, b), compareIn.id);
}

/** Whether an item comes after a place. The place must have a value for every key of the order. */
export function isAfter(todo: Todo, place: TodoPosition, order: readonly SortKey[]): boolean {
  for (const [index, { field, direction }] of order.entries()) {
    const value = place.values[index];
    if (value === undefined) continue;
    const difference = compareValues(sortValueOf(todo, field), value);
    if (difference !== 0) return direction === "ascending" ? difference > 0 : difference < 0;
  }
  return todo.id > place.id;
}

function directed(compare: Compare<Todo>, direction: SortKey["direction"]): Compare<Todo> {
  return direction === "ascending" ? compare : (a, b) => compare(b, a);
}

function cutTitle(title: string): string {
  return title.length <= TITLE_UNITS_COMPARED ? title : title.slice(0, TITLE_UNITS_COMPARED);
}
