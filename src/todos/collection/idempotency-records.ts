import type { IdempotencyKey, Todo } from "../todo.js";
import { type Block, BlockMap } from "./block-map.js";
import { SortedMap } from "./sorted-map.js";
import { compareValues } from "./todo-order.js";

/** An idempotency key and the item that it created. */
export interface IdempotencyRecord extends IdempotencyKey {
  /** The item as it was created. */
  readonly todo: Todo;
  /** Wall-clock time of the creation, in milliseconds since 1970. */
  readonly createdAtMs: number;
}

const RETENTION_MS = 24 * 60 * 60 * 1000;

/**
 * The idempotency keys that have not expired, in order of the items they created: each key created
 * one item, and ids ascend.
 */
export class IdempotencyRecords {
  readonly #byKey: SortedMap<string, IdempotencyRecord>;
  readonly #byTodo: BlockMap<IdempotencyRecord>;

  static of(records: readonly IdempotencyRecord[]): IdempotencyRecords {
    const byKey = new SortedMap<string, IdempotencyRecord>(undefined, compareValues);
    for (const record of records) byKey.set(nameOf(record), record);
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

  /** O(1); changes to either do not affect the other. */
  clone(): IdempotencyRecords {
    return new IdempotencyRecords(this.#byKey.clone(), this.#byTodo.clone());
  }

  /** The record of a key of the same owner, unless it has expired. */
  find(key: Pick<IdempotencyKey, "key" | "owner">, now: number): IdempotencyRecord | undefined {
    const record = this.#byKey.get(nameOf(key));
    return record === undefined || isExpired(record, now) ? undefined : record;
  }

  add(record: IdempotencyRecord): void {
    const existing = this.#byKey.get(nameOf(record));
    if (existing !== undefined) this.#byTodo.delete(existing.todo.id);
    this.#byKey.set(nameOf(record), record);
    this.#byTodo.set(record);
  }

  /** Removes expired records, oldest first, up to the first that is still valid. */
  dropExpired(now: number): void {
    let oldest = this.#byTodo.first();
    while (oldest !== undefined && isExpired(oldest, now)) {
      this.#byKey.delete(nameOf(oldest));
      this.#byTodo.delete(oldest.todo.id);
      oldest = this.#byTodo.first();
    }
  }

  /** All records in blocks, in order of the items they created. */
  blocks(): readonly Block<IdempotencyRecord>[] {
    return this.#byTodo.blocks();
  }
}

/** Identifies a key among those of all owners. */
function nameOf({ key, owner }: Pick<IdempotencyKey, "key" | "owner">): string {
  return JSON.stringify([key, owner]);
}

/** Expires in either direction: a key recorded while the clock was wrong must not live forever. */
function isExpired({ createdAtMs }: IdempotencyRecord, now: number): boolean {
  return Math.abs(now - createdAtMs) >= RETENTION_MS;
}
