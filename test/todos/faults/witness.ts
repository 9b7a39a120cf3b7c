import { isDeepStrictEqual } from "node:util";
import type { Todo } from "../../../src/todos/todo.js";

/** A change that was submitted. */
export type Try =
  | {
      readonly kind: "create";
      readonly title: string;
      readonly completed: boolean;
      readonly key: string | undefined;
    }
  | { readonly kind: "set"; readonly id: number; readonly completed: boolean }
  | { readonly kind: "remove"; readonly id: number };

interface PendingTry {
  readonly wanted: Try;
  /** It was answered with an error: it may still be on the disk, until a later change is. */
  failed: boolean;
}

/** A token for a change that was submitted, to say later how it ended. */
export type TryToken = PendingTry;

/** What a store must hold after a crash: what was acknowledged, and perhaps what was tried. */
export class Witness {
  #settled: ReadonlyMap<number, Todo> = new Map();
  #tries: readonly PendingTry[] = [];
  #givenIds: ReadonlySet<number> = new Set();
  #answersByKey: ReadonlyMap<string, Todo> = new Map();
  #acknowledged = 0;

  /** @param todos what is there in the beginning */
  constructor(todos: readonly Todo[] = []) {
    this.#settled = new Map(todos.map((todo) => [todo.id, todo]));
    this.#givenIds = new Set(this.#settled.keys());
  }

  /** Changes that were acknowledged so far. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** The items as they were acknowledged or found last. */
  get settled(): readonly Todo[] {
    return [...this.#settled.values()];
  }

  /** An item as it was acknowledged or found last. */
  find(id: number): Todo | undefined {
    return this.#settled.get(id);
  }

  /** The first answer for each idempotency key that was acknowledged. */
  get answersByKey(): ReadonlyMap<string, Todo> {
    return this.#answersByKey;
  }

  /** The creations whose fate nobody was told. */
  get openCreations(): readonly Extract<Try, { kind: "create" }>[] {
    return this.#tries.flatMap(({ wanted }) => (wanted.kind === "create" ? wanted : []));
  }

  clone(): Witness {
    const copy = new Witness();
    copy.#settled = this.#settled;
    copy.#tries = this.#tries.map((one) => ({ ...one }));
    copy.#givenIds = this.#givenIds;
    copy.#answersByKey = this.#answersByKey;
    copy.#acknowledged = this.#acknowledged;
    return copy;
  }

  submitted(wanted: Try): TryToken {
    const token = { wanted, failed: false };
    this.#tries = [...this.#tries, token];
    return token;
  }

  refused(token: TryToken): void {
    token.failed = true;
  }

  /**
   * A change was acknowledged: it was written, and what failed before is not in what was written.
   * @param todo the item that a creation or a change was answered with
   */
  succeeded(token: TryToken, todo: Todo | undefined): void {
    const { wanted } = token;
    this.#tries = this.#tries.filter((one) => one !== token && !one.failed);
    this.#acknowledged += 1;
    const settled = new Map(this.#settled);
    if (wanted.kind === "remove") settled.delete(wanted.id);
    else if (todo !== undefined) settled.set(todo.id, todo);
    this.#settled = settled;
    if (wanted.kind !== "create" || todo === undefined) return;
    this.#give(todo.id);
    if (wanted.key !== undefined) {
      this.#answersByKey = new Map(this.#answersByKey).set(wanted.key, todo);
    }
  }

  /** Keys that no longer answer. */
  forget(isForgotten: (answer: Todo) => boolean): void {
    const kept = [...this.#answersByKey].filter(([, answer]) => !isForgotten(answer));
    this.#answersByKey = new Map(kept);
  }

  /**
   * Compares with what a start has found, and takes that as what must be there from now on: it is
   * shown to readers.
   * @throws {Error} for what is missing, wrong, or was never tried
   */
  found(todos: readonly Todo[]): void {
    const present = new Map(todos.map((todo) => [todo.id, todo]));
    for (const known of this.#settled.values()) this.#checkKnown(known, present.get(known.id));
    const creations = [...this.openCreations];
    for (const todo of todos) {
      if (this.#settled.has(todo.id)) continue;
      const index = creations.findIndex(({ title }) => title === todo.title);
      if (index === -1) throw new Error(`item ${todo.id} was not tried, or was removed`);
      creations.splice(index, 1);
      this.#give(todo.id);
    }
    this.#settled = present;
    this.#tries = [];
  }

  #checkKnown(known: Todo, found: Todo | undefined): void {
    const tries = this.#tries.flatMap(({ wanted }) =>
      wanted.kind !== "create" && wanted.id === known.id ? wanted : [],
    );
    if (found === undefined) {
      if (tries.some(({ kind }) => kind === "remove")) return;
      throw new Error(`item ${known.id} was acknowledged and is lost`);
    }
    const { completed, updatedAt } = found;
    const wasTried = tries.some((one) => one.kind === "set" && one.completed === completed);
    const expected = wasTried ? { ...known, completed, updatedAt } : known;
    if (!isDeepStrictEqual(found, expected) || updatedAt < known.updatedAt) {
      throw new Error(`item ${known.id} was acknowledged and is another`);
    }
  }

  #give(id: number): void {
    if (this.#givenIds.has(id)) throw new Error(`the id ${id} was given before`);
    this.#givenIds = new Set(this.#givenIds).add(id);
  }
}
