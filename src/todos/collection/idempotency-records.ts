import type { IdempotencyKey, Todo } from "../todo.js";
import { type Block, BlockMap } from "./block-map.js";
import { SortedMap } from "./sorted-map.js";
import { compareValues } from "./todo-order.js";

/** What an idempotency key has created. */
export interface IdempotencyRecord extends IdempotencyKey {
  /** The item as it was created. */
  readonly todo: Todo;
  /** When it was created by the clock, in milliseconds since 1970. */
  readonly at: number;
}

const KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * The idempotency keys that still answer. Their order is that of the items they created: each made
 * one, and ids ascend.
 */
export class IdempotencyRecords {
  readonly #byKey: SortedMap<string, IdempotencyRecord>;
  readonly #byTodo: BlockMap<IdempotencyRecord>;

  static of(records: readonly IdempotencyRecord[]): IdempotencyRecords {
    const byKey = new SortedMap<string, IdempotencyRecord>(undefined, compareValues);
    for (const record of records) byKey.set(record.key, record);
    return new IdempotencyRecords(
      byKey,
      BlockMap.of(({ todo }) => todo.id, records),
    );
  }

  private constructor(
    byKey: SortedMap<string, IdempotencyRecord>,
    byTodo: BlockMap<IdempotencyRecord>,
  ) {
    this.#byKey = byKey;
    this.#byTodo = byTodo;
  }

  /** O(1); changes to either leave the other as it is. */
  clone(): IdempotencyRecords {
    return new IdempotencyRecords(this.#byKey.clone(), this.#byTodo.clone());
  }

  /** What a key has created, unless that is too long ago. */
  find(key: string, now: number): IdempotencyRecord | undefined {
    const record = this.#byKey.get(key);
    return record === undefined || isExpired(record, now) ? undefined : record;
  }

  add(record: IdempotencyRecord): void {
    const former = this.#byKey.get(record.key);
    if (former !== undefined) this.#byTodo.delete(former.todo.id);
    this.#byKey.set(record.key, record);
    this.#byTodo.set(record);
  }

  /** Forgets the oldest as long as they no longer answer. */
  dropExpired(now: number): void {
    let oldest = this.#byTodo.first();
    while (oldest !== undefined && isExpired(oldest, now)) {
      this.#byKey.delete(oldest.key);
      this.#byTodo.delete(oldest.todo.id);
      oldest = this.#byTodo.first();
    }
  }

  /** All of them in blocks, in order of the items they created. */
  blocks(): readonly Block<IdempotencyRecord>[] {
    return this.#byTodo.blocks();
  }
}

/** In either direction: a key from a time when the clock was wrong must not stay for ever. */
function isExpired({ at }: IdempotencyRecord, now: number): boolean {
  return Math.abs(now - at) >= KEPT_MS;
}
