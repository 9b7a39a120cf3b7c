import assert from "node:assert/strict";
import type { SortField, SortKey, Todo, TodoFilter, TodoPage, TodoQuery } from "../todo.js";
import type { ScanStart, TodoIndex } from "./todo-index.js";
import {
  buildPosition,
  type Compare,
  compareBy,
  compareValues,
  isAfter,
  sortValueOf,
} from "./todo-order.js";

export type TodoIndexes = Readonly<Record<SortField, TodoIndex>>;

const idKey: SortKey = { field: "id", direction: "ascending" };

/** Random reads in an index: this many take about as long as a full pass over 100,000 items. */
const MAX_SCANNED = 5_000;

/** Character comparisons that take about as long as one random read. */
const COMPARISONS_PER_READ = 1_000;
/** Character comparisons that take about as long as visiting one item in a full pass. */
const COMPARISONS_PER_ITEM = 50;
/** Character comparisons per step of a full pass, a few milliseconds. */
const COMPARISONS_PER_STEP = 5_000_000;

/** The data that a page is read from. */
export interface PageSource {
  readonly indexes: TodoIndexes;
  /** All items in order of id. */
  readonly all: () => Iterable<Todo>;
  /**
   * Maximum number of items that an index scan reads before falling back to a full pass.
   * @default 5000
   */
  readonly maxScanned?: number;
}

/** Runs {@link selectPageInSteps} to its end. */
export function selectPage(source: PageSource, query: TodoQuery): TodoPage {
  const steps = selectPageInSteps(source, query);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/**
 * Selects a page of the items (keyset pagination). With one sort key and no filter, the cost is
 * proportional to the page, wherever it begins. Further keys order the items that are equal in the
 * first key, and a filter skips items: if that needs too many reads, the page is selected from all
 * items in one pass, without sorting them. Searching long titles takes milliseconds each, so such a
 * pass is made in steps, between which other work may run.
 */
export function* selectPageInSteps(
  source: PageSource,
  query: TodoQuery,
): Generator<void, TodoPage> {
  assertQuery(query);
  const limit = query.limit + 1;
  const plan = { ...query, ...withoutRedundantKeys(query), limit };
  const items = scanItems(source, plan) ?? (yield* selectItems(source, plan));
  if (items.length < limit) return { items, next: undefined };
  const page = items.slice(0, -1);
  const last = page.at(-1);
  return { items: page, next: last && buildPosition(last, query.order) };
}

function assertQuery({ after, order, limit }: TodoQuery): void {
  assert(Number.isInteger(limit) && limit > 0, `expected a positive limit, got ${limit}`);
  const valueCount = after?.values.length ?? order.length;
  assert(
    valueCount === order.length,
    `expected a position with a value for each of ${order.length} sort keys, got ${valueCount}`,
  );
}

/** The first items of an order by index scan, or undefined if that needs too many reads. */
function scanItems(source: PageSource, plan: TodoQuery): readonly Todo[] | undefined {
  const scan = new IndexScan(source);
  const items = take(scan.scanInOrder(plan), plan.limit);
  return scan.isOverBudget ? undefined : items;
}

function* selectItems(
  { all }: PageSource,
  { filter, order, after, limit }: TodoQuery,
): Generator<void, readonly Todo[]> {
  const matches = createMatcher(filter);
  const matchingTodos: Todo[] = [];
  let comparisons = 0;
  for (const todo of all()) {
    if (matches(todo)) matchingTodos.push(todo);
    comparisons += COMPARISONS_PER_ITEM + comparisonsOf(todo, filter);
    if (comparisons < COMPARISONS_PER_STEP) continue;
    comparisons = 0;
    yield;
  }
  return selectFirst(filterItemsAfter(matchingTodos, { order, after }), limit, compareBy(order));
}

type Order = Pick<TodoQuery, "order" | "after">;

/** Drops keys that cannot affect the order: those fixed by the filter and those after the id. */
function withoutRedundantKeys({ filter, order, after }: TodoQuery): Order {
  const idIndex = order.findIndex(({ field }) => field === "id");
  const effectiveKeys = [...order.entries()].filter(
    ([index, { field }]) =>
      (idIndex === -1 || index <= idIndex) &&
      !(field === "completed" && filter.completed !== undefined),
  );
  const values = effectiveKeys.flatMap(([index]) => after?.values[index] ?? []);
  return { order: effectiveKeys.map(([, key]) => key), after: after && { values, id: after.id } };
}

/** Reads items in order from the indexes, within a budget of reads. */
class IndexScan {
  readonly #indexes: TodoIndexes;
  #readsLeft: number;

  constructor({ indexes, maxScanned = MAX_SCANNED }: PageSource) {
    this.#indexes = indexes;
    this.#readsLeft = maxScanned;
  }

  /** Whether the budget ran out and items are missing. */
  get isOverBudget(): boolean {
    return this.#readsLeft < 0;
  }

  /** @param plan its limit is the maximum number of items that are consumed */
  *scanInOrder(plan: TodoQuery): Generator<Todo, void> {
    const { filter, order, after } = plan;
    const [leading = idKey, ...others] = order;
    if (others.length === 0) {
      const { id = 0, values: [value = id] = [] } = after ?? {};
      yield* this.#scan(leading, filter, after && { value, afterId: id });
    } else if (leading.field === "completed") {
      yield* this.#scanByCompletion(plan, leading);
    } else {
      const [value] = after?.values ?? [];
      const start = value === undefined ? undefined : { value, afterId: 0 };
      const todos = filterItemsAfter(this.#scan(leading, filter, start), plan);
      yield* sortByGroup(todos, { ...plan, leading });
    }
  }

  /**
   * Open and completed items, in the requested order: two halves, each ordered by the remaining
   * keys. The index of the next key already yields a half in order, so it is not sorted.
   */
  *#scanByCompletion(plan: TodoQuery, { direction }: SortKey): Generator<Todo, void> {
    const { filter, order, after, limit } = plan;
    const halves = direction === "ascending" ? [false, true] : [true, false];
    const startHalf = after === undefined ? halves[0] : after.values[0] === true;
    for (const completed of halves.slice(halves.indexOf(startHalf === true))) {
      const afterInHalf = after && { values: after.values.slice(1), id: after.id };
      const half = {
        filter: { ...filter, completed },
        order: order.slice(1),
        after: completed === startHalf ? afterInHalf : undefined,
        limit,
      };
      yield* this.scanInOrder({ ...half, ...withoutRedundantKeys(half) });
    }
  }

  *#scan(key: SortKey, filter: TodoFilter, start: ScanStart | undefined): Generator<Todo, void> {
    const matches = createMatcher(filter);
    for (const todo of this.#indexes[key.field].scan(key.direction, start)) {
      this.#readsLeft -= 1 + comparisonsOf(todo, filter) / COMPARISONS_PER_READ;
      if (this.#readsLeft < 0) return;
      if (matches(todo)) yield todo;
    }
  }
}

interface GroupedQuery extends TodoQuery {
  readonly leading: SortKey;
}

/** Sorts items that arrive in order of the leading key, one group of equal items at a time. */
function* sortByGroup(
  todos: Iterable<Todo>,
  { leading, order, limit }: GroupedQuery,
): Generator<Todo, void> {
  const compare = compareBy(order);
  let group: Todo[] = [];
  for (const todo of todos) {
    const [first] = group;
    if (first !== undefined && !isEqualIn(leading.field, first, todo)) {
      yield* selectFirst(group, limit, compare);
      group = [];
    }
    group.push(todo);
  }
  yield* selectFirst(group, limit, compare);
}

function* filterItemsAfter(todos: Iterable<Todo>, { order, after }: Order): Generator<Todo, void> {
  for (const todo of todos) {
    if (after === undefined || isAfter(todo, after, order)) yield todo;
  }
}

function isEqualIn(field: SortField, a: Todo, b: Todo): boolean {
  return compareValues(sortValueOf(a, field), sortValueOf(b, field)) === 0;
}

function take<Item>(items: Iterable<Item>, count: number): Item[] {
  const takenItems: Item[] = [];
  for (const item of items) {
    takenItems.push(item);
    if (takenItems.length === count) break;
  }
  return takenItems;
}

function createMatcher({ completed, titleContains }: TodoFilter): (todo: Todo) => boolean {
  const pattern =
    titleContains === undefined ? undefined : buildCaseInsensitivePattern(titleContains);
  return (todo) =>
    (completed === undefined || todo.completed === completed) &&
    (pattern === undefined || pattern.test(todo.title));
}

/**
 * Upper bound of the character comparisons that a filter takes for an item, as the text may begin
 * anywhere in the title.
 */
function comparisonsOf({ title }: Todo, { titleContains = "" }: TodoFilter): number {
  return title.length * titleContains.length;
}

/** Unicode simple case folding: one code point to one code point, independent of the locale. */
function buildCaseInsensitivePattern(text: string): RegExp {
  return new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "iu");
}

/** Candidates held beyond `count`: spreads the cost of a sort over some hundreds of items. */
const SPARE_CANDIDATES = 512;

/**
 * Returns the first `count` items in the order of `compare` without sorting all items. Most items
 * cost one comparison. Holds at most `count` items plus a constant number of candidates.
 */
export function selectFirst<Item>(
  items: Iterable<Item>,
  count: number,
  compare: Compare<Item>,
): readonly Item[] {
  const candidates: Item[] = [];
  let cutoff: Item | undefined;
  for (const item of items) {
    if (cutoff !== undefined && compare(item, cutoff) >= 0) continue;
    candidates.push(item);
    if (candidates.length < count + SPARE_CANDIDATES) continue;
    keepFirst();
    cutoff = candidates.at(-1);
  }
  keepFirst();
  return candidates;

  function keepFirst(): void {
    candidates.sort(compare);
    candidates.length = Math.min(candidates.length, count);
  }
}
