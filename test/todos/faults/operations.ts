import fc from "fast-check";
import {
  type SortKey,
  sortFields,
  type TodoChange,
  type TodoFilter,
} from "../../../src/todos/todo.js";

/** Selects an item: an existing one, or an id without an item (removed, or never assigned). */
export interface ItemChoice {
  readonly exists: boolean;
  readonly number: number;
}

/** Whether a client's precondition holds. */
export type Condition = "none" | "holds" | "fails";

export type ChangeOperation =
  | {
      readonly kind: "create";
      readonly title: string;
      readonly completed: boolean;
      readonly key: string | undefined;
      readonly fingerprint: string;
    }
  | {
      readonly kind: "change";
      readonly item: ItemChoice;
      readonly change: TodoChange;
      readonly condition: Condition;
    }
  | { readonly kind: "remove"; readonly item: ItemChoice; readonly condition: Condition };

export const diskStates = ["works", "full", "broken", "read-only", "folder broken"] as const;
/** Whether writes succeed, or which of their steps fails. */
export type DiskState = (typeof diskStates)[number];

export interface PageOperation {
  readonly kind: "page";
  readonly order: readonly SortKey[];
  readonly filter: TodoFilter;
  readonly limit: number;
}

export interface CrashOperation {
  readonly kind: "crash";
  /** Submitted before the crash. */
  readonly changes: readonly ChangeOperation[];
  /** Number of disk steps before the crash. */
  readonly steps: number;
  readonly how: "killed" | "power failure";
  /** Seed that selects the disk left by a power failure. */
  readonly seed: number;
}

export type Operation =
  | { readonly kind: "submit"; readonly changes: readonly ChangeOperation[] }
  | { readonly kind: "find"; readonly item: ItemChoice }
  | PageOperation
  | { readonly kind: "next page" }
  | { readonly kind: "restart" }
  | CrashOperation
  | { readonly kind: "wait"; readonly milliseconds: number }
  | { readonly kind: "disk"; readonly state: DiskState };

const HOUR_MS = 60 * 60 * 1000;

/** Few letters, so that titles, or their compared prefixes, are often equal. */
const title = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.string({ unit: fc.constantFrom("a", "b", "A", "é", "É"), maxLength: 3 }),
  },
  { weight: 1, arbitrary: fc.constantFrom("x", "y").map((end) => `${"a".repeat(200)}${end}`) },
);
const item: fc.Arbitrary<ItemChoice> = fc.record({
  exists: fc.constantFrom(true, true, true, false),
  number: fc.nat({ max: 1000 }),
});
const condition = fc.constantFrom<Condition>("none", "none", "holds", "fails");

const changeOperation: fc.Arbitrary<ChangeOperation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("create" as const),
      title,
      completed: fc.boolean(),
      key: fc.constantFrom(undefined, undefined, "k", "l", "m", "n"),
      fingerprint: fc.constantFrom("f", "f", "f", "g"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("change" as const),
      item,
      change: fc.record({ title, completed: fc.boolean() }, { requiredKeys: [] }),
      condition,
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("remove" as const), item, condition }) },
);

const sortKey: fc.Arbitrary<SortKey> = fc.record({
  field: fc.constantFrom(...sortFields),
  direction: fc.constantFrom("ascending" as const, "descending" as const),
});

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record({
      kind: fc.constant("submit" as const),
      changes: changeOperation.map((one) => [one]),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant("submit" as const),
      changes: fc.array(changeOperation, { minLength: 2, maxLength: 6 }),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("find" as const), item }) },
  {
    weight: 15,
    arbitrary: fc.record({
      kind: fc.constant("page" as const),
      order: fc.uniqueArray(sortKey, { maxLength: 3, selector: ({ field }) => field }),
      filter: fc.record(
        { completed: fc.boolean(), titleContains: fc.constantFrom("a", "B", "é", "ab", "") },
        { requiredKeys: [] },
      ),
      limit: fc.integer({ min: 1, max: 12 }),
    }),
  },
  { weight: 20, arbitrary: fc.constant({ kind: "next page" as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: "restart" as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("crash" as const),
      changes: fc.array(changeOperation, { maxLength: 4 }),
      steps: fc.nat({ max: 40 }),
      how: fc.constantFrom("killed" as const, "power failure" as const),
      seed: fc.nat(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      milliseconds: fc.constantFrom(1, 1000, HOUR_MS, 23 * HOUR_MS, 24 * HOUR_MS - 1, 24 * HOUR_MS),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("disk" as const),
      state: fc.constantFrom<DiskState>(...diskStates, "works", "works", "works"),
    }),
  },
);

/** A sequence of events from clients, the disk and the clock; bounded to keep shrinking fast. */
export const operations = fc.array(operation, { maxLength: 400, size: "max" });
