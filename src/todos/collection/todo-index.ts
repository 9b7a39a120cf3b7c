import type { SortField, SortKey, Todo } from "../todo.js";
import { type SortedMap, sortedSetOf } from "./sorted-map.js";
import { compareBy, compareValues, type SortValue, sortValueOf } from "./todo-order.js";

/** Where a walk begins: in the items of one value, after an id; with 0 at the first of them. */
export interface WalkStart {
  readonly value: SortValue;
  readonly afterId: number;
}

/** The items in order of one field, and of their ids where they are equal in it. */
export class TodoIndex {
  readonly #field: SortField;
  readonly #todos: SortedMap<Todo, undefined>;

  static of(field: SortField, todos: readonly Todo[]): TodoIndex {
    const compare = compareBy([{ field, direction: "ascending" }]);
    return new TodoIndex(field, sortedSetOf(todos.toSorted(compare), compare));
  }

  private constructor(field: SortField, todos: SortedMap<Todo, undefined>) {
    this.#field = field;
    this.#todos = todos;
  }

  /** O(1); changes to either index leave the other as it is. */
  clone(): TodoIndex {
    return new TodoIndex(this.#field, this.#todos.clone());
  }

  add(todo: Todo): void {
    this.#todos.set(todo, undefined);
  }

  remove(todo: Todo): void {
    this.#todos.delete(todo);
  }

  /** Puts an item in the place of its former self. */
  replace(before: Todo, after: Todo): void {
    if (this.#valueOf(before) !== this.#valueOf(after)) this.remove(before);
    // Setting a key that is there replaces it by the equal one.
    this.add(after);
  }

  /** The items by the field in a direction; ids ascend in either direction. */
  walk(direction: SortKey["direction"], start?: WalkStart): IterableIterator<Todo> {
    return direction === "descending"
      ? this.#walkDown(start)
      : this.#todos.keys(start && this.#placeOf(start));
  }

  /**
   * Backwards, as long as each item has another value than the one below it. Items that are equal
   * are walked forwards together; then it goes on below them.
   */
  *#walkDown(start: WalkStart | undefined): Generator<Todo, void> {
    if (start !== undefined) yield* this.#rest(start);
    let value = start?.value;
    do {
      value = yield* this.#walkDownTo(value);
      if (value !== undefined) yield* this.#rest({ value, afterId: 0 });
    } while (value !== undefined);
  }

  /** The items below a value, down to two that are equal: their value is what it returns. */
  *#walkDownTo(above: SortValue | undefined): Generator<Todo, SortValue | undefined> {
    const from = above === undefined ? undefined : this.#placeOf({ value: above, afterId: 0 });
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

  /** The items that have one value, from a place on. */
  *#rest(start: WalkStart): Generator<Todo, void> {
    for (const todo of this.#todos.keys(this.#placeOf(start))) {
      if (compareValues(this.#valueOf(todo), start.value) !== 0) return;
      yield todo;
    }
  }

  /** An item to look for: the first that may come after the place, whether it is there or not. */
  #placeOf({ value, afterId }: WalkStart): Todo {
    const place = { title: "", completed: false, createdAt: "", updatedAt: "" };
    if (this.#field !== "id") return { ...place, [this.#field]: value, id: afterId + 1 };
    return { ...place, id: Math.max(Number(value), afterId + 1) };
  }

  #valueOf(todo: Todo): SortValue {
    return sortValueOf(todo, this.#field);
  }
}
