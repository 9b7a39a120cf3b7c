import { isDeepStrictEqual } from "node:util";
import type { Todo } from "../../../src/todos/todo.js";

/** A change that was submitted. */
export type AttemptedChange =
  | {
      readonly kind: "create";
      readonly title: string;
      readonly completed: boolean;
      readonly key: string | undefined;
    }
  | { readonly kind: "set"; readonly id: number; readonly completed: boolean }
  | { readonly kind: "remove"; readonly id: number };

interface Attempt {
  readonly change: AttemptedChange;
  /** The change was rejected, but may be on the disk until a later change is. */
  failed: boolean;
}

/** Identifies a submitted change, to record its outcome later. */
export type AttemptToken = Attempt;

/**
 * Tracks what a store must contain after a crash (everything that was acknowledged), and what it
 * may contain (everything that was attempted).
 */
export class DurabilityChecker {
  #settled: ReadonlyMap<number, Todo> = new Map();
  #attempts: readonly Attempt[] = [];
  #assignedIds: ReadonlySet<number> = new Set();
  #answersByKey: ReadonlyMap<string, Todo> = new Map();
  #acknowledgedCount = 0;

  /** @param todos the initial items */
  constructor(todos: readonly Todo[] = []) {
    this.#settled = new Map(todos.map((todo) => [todo.id, todo]));
    this.#assignedIds = new Set(this.#settled.keys());
  }

  /** Number of changes acknowledged so far. */
  get acknowledgedCount(): number {
    return this.#acknowledgedCount;
  }

  /** The items as last acknowledged or recovered. */
  get settled(): readonly Todo[] {
    return [...this.#settled.values()];
  }

  /** An item as last acknowledged or recovered. */
  find(id: number): Todo | undefined {
    return this.#settled.get(id);
  }

  /** The first answer of each acknowledged idempotency key. */
  get answersByKey(): ReadonlyMap<string, Todo> {
    return this.#answersByKey;
  }

  /** The creations that were not acknowledged. */
  get unacknowledgedCreations(): readonly Extract<AttemptedChange, { kind: "create" }>[] {
    return this.#attempts.flatMap(({ change }) => (change.kind === "create" ? change : []));
  }

  /** All that it knows, as text, to compare checkers. */
  describe(): string {
    const assigned = [...this.#assignedIds];
    return JSON.stringify([this.settled, this.#attempts, assigned, [...this.#answersByKey]]);
  }

  clone(): DurabilityChecker {
    const copy = new DurabilityChecker();
    copy.#settled = this.#settled;
    copy.#attempts = this.#attempts.map((attempt) => ({ ...attempt }));
    copy.#assignedIds = this.#assignedIds;
    copy.#answersByKey = this.#answersByKey;
    copy.#acknowledgedCount = this.#acknowledgedCount;
    return copy;
  }

  submitted(change: AttemptedChange): AttemptToken {
    const token = { change, failed: false };
    this.#attempts = [...this.#attempts, token];
    return token;
  }

  rejected(token: AttemptToken): void {
    token.failed = true;
  }

  /**
   * Records an acknowledgement: the change was written, without any change that failed before.
   * @param todo the result of a creation or a change
   */
  acknowledged(token: AttemptToken, todo: Todo | undefined): void {
    const { change } = token;
    this.#attempts = this.#attempts.filter((attempt) => attempt !== token && !attempt.failed);
    this.#acknowledgedCount += 1;
    const settled = new Map(this.#settled);
    if (change.kind === "remove") settled.delete(change.id);
    else if (todo !== undefined) settled.set(todo.id, todo);
    this.#settled = settled;
    if (change.kind !== "create" || todo === undefined) return;
    this.#assign(todo.id);
    if (change.key !== undefined) {
      this.#answersByKey = new Map(this.#answersByKey).set(change.key, todo);
    }
  }

  /** Drops expired keys. */
  dropKeys(isExpired: (answer: Todo) => boolean): void {
    const kept = [...this.#answersByKey].filter(([, answer]) => !isExpired(answer));
    this.#answersByKey = new Map(kept);
  }

  /**
   * Checks the items recovered by a start. They are visible to readers, so from now on they must
   * persist.
   * @throws {Error} for an item that is missing, wrong, or was never attempted
   */
  recovered(todos: readonly Todo[]): void {
    const present = new Map(todos.map((todo) => [todo.id, todo]));
    for (const expected of this.#settled.values()) {
      this.#checkItem(expected, present.get(expected.id));
    }
    const creations = [...this.unacknowledgedCreations];
    for (const todo of todos) {
      if (this.#settled.has(todo.id)) continue;
      const index = creations.findIndex(({ title }) => title === todo.title);
      if (index === -1) throw new Error(`item ${todo.id} was never submitted, or was removed`);
      creations.splice(index, 1);
      this.#assign(todo.id);
    }
    this.#settled = present;
    this.#attempts = [];
  }

  #checkItem(settled: Todo, found: Todo | undefined): void {
    const edits = this.#attempts.flatMap(({ change }) =>
      change.kind !== "create" && change.id === settled.id ? change : [],
    );
    if (found === undefined) {
      if (edits.some(({ kind }) => kind === "remove")) return;
      throw new Error(`item ${settled.id} was acknowledged and is lost`);
    }
    const { completed, updatedAt } = found;
    const wasAttempted = edits.some((edit) => edit.kind === "set" && edit.completed === completed);
    const expected = wasAttempted ? { ...settled, completed, updatedAt } : settled;
    if (!isDeepStrictEqual(found, expected) || updatedAt < settled.updatedAt) {
      throw new Error(`item ${settled.id} was acknowledged and has other content`);
    }
  }

  #assign(id: number): void {
    if (this.#assignedIds.has(id)) throw new Error(`the id ${id} was assigned twice`);
    this.#assignedIds = new Set(this.#assignedIds).add(id);
  }
}
