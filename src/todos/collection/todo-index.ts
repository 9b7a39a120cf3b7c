import type { SortField, SortKey, Todo } from "../todo.js";
import { createSortedSet, type SortedMap } from "./sorted-map.js";
import { compareBy, compareValues, type SortValue, sortValueOf } from "./todo-order.js";

/** Start of a scan: within the items of one value, after an id; 0 starts at the first of them. */
export interface ScanStart {
  readonly value: SortValue;
  readonly afterId: number;
}

/** The items ordered by one field, then by id. */
export class TodoIndex {
  readonly #field: SortField;
  readonly #todos: SortedMap<Todo, undefined>;

  static of(field: SortField, todos: readonly Todo[]): TodoIndex {
    const compare = compareBy([{ field, direction: "ascending" }]);
    return new TodoIndex(field, createSortedSet(todos.toSorted(compare), compare));
  }

  private constructor(field: SortField, todos: SortedMap<Todo, undefined>) {
    this.#field = field;
    this.#todos = todos;
  }

  /** O(1); changes to either index do not affect the other. */
  clone(): TodoIndex {
    return new TodoIndex(this.#field, this.#todos.clone());
  }

  add(todo: Todo): void {
    this.#todos.set(todo, undefined);
  }

  remove(todo: Todo): void {
    this.#todos.delete(todo);
  }

  /** Replaces an item by its new version. */
  replace(before: Todo, after: Todo): void {
    if (this.#valueOf(before) !== this.#valueOf(after)) this.remove(before);
    // Setting an existing key replaces the stored key by the equal new one.
    this.add(after);
  }

  /** The items ordered by the field in either direction; ids always ascend. */
  scan(direction: SortKey["direction"], start?: ScanStart): IterableIterator<Todo> {
    return direction === "descending"
      ? this.#scanDescending(start)
      : this.#todos.keys(start && this.#buildProbe(start));
  }

  /**
   * A reverse scan while each item differs in value from the one below it. A run of equal items is
   * scanned forwards, in order of id; the reverse scan then continues below it.
   */
  *#scanDescending(start: ScanStart | undefined): Generator<Todo, void> {
    if (start !== undefined) yield* this.#scanValue(start);
    let value = start?.value;
    do {
      value = yield* this.#scanDownToEqual(value);
      if (value !== undefined) yield* this.#scanValue({ value, afterId: 0 });
    } while (value !== undefined);
  }

  /** Scans the items below a value down to a run of equal items, and returns the run's value. */
  *#scanDownToEqual(upperValue: SortValue | undefined): Generator<Todo, SortValue | undefined> {
    const from =
      upperValue === undefined ? undefined : this.#buildProbe({ value: upperValue, afterId: 0 });
    let upper: Todo | undefined;
    for (const [todo] of this.#todos.entriesReversed(from, [], true)) {
      if (upper !== undefined) {
        if (compareValues(this.#valueOf(upper), this.#valueOf(todo)) === 0) {
          return this.#valueOf(todo);
        }
        yield upper;
      }
      upper = todo;
    }
    if (upper !== undefined) yield upper;
    return undefined;
  }

  /** The items of one value, from a position on. */
  *#scanValue(start: ScanStart): Generator<Todo, void> {
    for (const todo of this.#todos.keys(this.#buildProbe(start))) {
      if (compareValues(this.#valueOf(todo), start.value) !== 0) return;
      yield todo;
    }
  }

  /** A search key: the lowest item that can follow the position, whether or not it exists. */
  #buildProbe({ value, afterId }: ScanStart): Todo {
    const blank = { title: "", completed: false, createdAt: "", updatedAt: "" };
    if (this.#field !== "id") return { ...blank, [this.#field]: value, id: afterId + 1 };
    return { ...blank, id: Math.max(Number(value), afterId + 1) };
  }

  #valueOf(todo: Todo): SortValue {
    return sortValueOf(todo, this.#field);
  }
}
