import type { SortField, SortKey, Todo, TodoFilter, TodoPage, TodoQuery } from "../todo.js";
import { least } from "./first-in-order.js";
import type { TodoIndex, WalkStart } from "./todo-index.js";
import { compareBy, compareValues, isAfter, positionOf, sortValueOf } from "./todo-order.js";

export type TodoIndexes = Readonly<Record<SortField, TodoIndex>>;

const byId: SortKey = { field: "id", direction: "ascending" };

/** Random reads in an index: so many take about as long as passing over 100,000 items in memory. */
const MOST_WALKED = 5_000;

/** Where a page is taken from. */
export interface PageSource {
  readonly indexes: TodoIndexes;
  /** All items in the order of their ids. */
  readonly all: () => Iterable<Todo>;
  /**
   * Items that a walk in an index may look at before all are looked at.
   * @default 5000
   */
  readonly mostWalked?: number;
}

/**
 * A page of the items. With one sort key and no filter it costs as much as the items that it gives,
 * wherever it begins. More keys are applied among the items that are equal in the first, and a filter
 * passes over items: where that takes too many, the page is selected from all of them in one pass,
 * without sorting them.
 */
export function pageOf(source: PageSource, query: TodoQuery): TodoPage {
  const limit = query.limit + 1;
  const plan = { ...query, ...withoutIdle(query), limit };
  const items = walkedItems(source, plan) ?? selectedItems(source, plan);
  if (items.length < limit) return { items, next: undefined };
  const page = items.slice(0, -1);
  const last = page.at(-1);
  return { items: page, next: last && positionOf(last, query.order) };
}

/** The first items of an order, or undefined when they are too far apart. */
function walkedItems(source: PageSource, plan: TodoQuery): readonly Todo[] | undefined {
  const walk = new Walk(source);
  const items = take(walk.inOrder(plan), plan.limit);
  return walk.isCutShort ? undefined : items;
}

function selectedItems({ all }: PageSource, plan: TodoQuery): readonly Todo[] {
  const { filter, order, after, limit } = plan;
  return least(laterThan(matching(all(), filter), { order, after }), limit, compareBy(order));
}

type Order = Pick<TodoQuery, "order" | "after">;

/** Drops the keys that decide nothing: what the filter makes equal, and all that follows the id. */
function withoutIdle({ filter, order, after }: TodoQuery): Order {
  const idAt = order.findIndex(({ field }) => field === "id");
  const deciding = [...order.entries()].filter(
    ([index, { field }]) =>
      (idAt === -1 || index <= idAt) && !(field === "completed" && filter.completed !== undefined),
  );
  const values = deciding.flatMap(([index]) => after?.values[index] ?? []);
  return { order: deciding.map(([, key]) => key), after: after && { values, id: after.id } };
}

/** Items of an order, as the indexes have them. */
class Walk {
  readonly #indexes: TodoIndexes;
  #left: number;

  constructor({ indexes, mostWalked = MOST_WALKED }: PageSource) {
    this.#indexes = indexes;
    this.#left = mostWalked;
  }

  /** Whether items are missing, because there were too many to look at. */
  get isCutShort(): boolean {
    return this.#left < 0;
  }

  /** @param plan its limit is how many items are asked for at most */
  *inOrder(plan: TodoQuery): Generator<Todo, void> {
    const { filter, order, after } = plan;
    const [leading = byId, ...others] = order;
    if (others.length === 0) {
      const { id = 0, values: [value = id] = [] } = after ?? {};
      yield* this.#walk(leading, filter, after && { value, afterId: id });
    } else if (leading.field === "completed") {
      yield* this.#byHalves(plan, leading);
    } else {
      const [value] = after?.values ?? [];
      const start = value === undefined ? undefined : { value, afterId: 0 };
      const todos = laterThan(this.#walk(leading, filter, start), plan);
      yield* byGroups(todos, { ...plan, leading });
    }
  }

  /**
   * Those that are completed after those that are not, or before: two halves, each ordered by the
   * keys that follow. An index of the next key has such a half in order, and need not sort it.
   */
  *#byHalves(plan: TodoQuery, { direction }: SortKey): Generator<Todo, void> {
    const { filter, order, after, limit } = plan;
    const halves = direction === "ascending" ? [false, true] : [true, false];
    const reached = after === undefined ? halves[0] : after.values[0] === true;
    for (const completed of halves.slice(halves.indexOf(reached === true))) {
      const rest = after && { values: after.values.slice(1), id: after.id };
      const half = {
        filter: { ...filter, completed },
        order: order.slice(1),
        after: completed === reached ? rest : undefined,
        limit,
      };
      yield* this.inOrder({ ...half, ...withoutIdle(half) });
    }
  }

  *#walk(key: SortKey, filter: TodoFilter, start: WalkStart | undefined): Generator<Todo, void> {
    const matches = matcherOf(filter);
    for (const todo of this.#indexes[key.field].walk(key.direction, start)) {
      this.#left -= 1;
      if (this.#left < 0) return;
      if (matches(todo)) yield todo;
    }
  }
}

interface Groups extends TodoQuery {
  readonly leading: SortKey;
}

/** Orders items that come in order of the leading key: one group of equal ones after the other. */
function* byGroups(
  todos: Iterable<Todo>,
  { leading, order, limit }: Groups,
): Generator<Todo, void> {
  const compare = compareBy(order);
  let group: Todo[] = [];
  for (const todo of todos) {
    const [first] = group;
    if (first !== undefined && !isEqualIn(leading.field, first, todo)) {
      yield* least(group, limit, compare);
      group = [];
    }
    group.push(todo);
  }
  yield* least(group, limit, compare);
}

function* laterThan(todos: Iterable<Todo>, { order, after }: Order): Generator<Todo, void> {
  for (const todo of todos) {
    if (after === undefined || isAfter(todo, after, order)) yield todo;
  }
}

function isEqualIn(field: SortField, a: Todo, b: Todo): boolean {
  return compareValues(sortValueOf(a, field), sortValueOf(b, field)) === 0;
}

function take<Item>(items: Iterable<Item>, count: number): Item[] {
  const taken: Item[] = [];
  for (const item of items) {
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}

function* matching(todos: Iterable<Todo>, filter: TodoFilter): Generator<Todo, void> {
  const matches = matcherOf(filter);
  for (const todo of todos) if (matches(todo)) yield todo;
}

function matcherOf({ completed, titleContains }: TodoFilter): (todo: Todo) => boolean {
  const part = titleContains === undefined ? undefined : inAnyCase(titleContains);
  return (todo) =>
    (completed === undefined || todo.completed === completed) &&
    (part === undefined || part.test(todo.title));
}

/** Unicode's simple case folding: one letter for one letter, in no language's special way. */
function inAnyCase(text: string): RegExp {
  return new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "iu");
}
