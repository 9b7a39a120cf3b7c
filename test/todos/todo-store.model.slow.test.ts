import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Todo } from "../../src/todos/todo.js";
import { openTodoStore, type TodoStore } from "../../src/todos/todo-store.js";
import { microtasksDone } from "../support/held-writes.js";
import { storeInMemory } from "../support/store-in-memory.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { type FileContent, heldFileWrites } from "./file-of.js";

type Change =
  | {
      readonly kind: "create";
      readonly title: string;
      readonly completed: boolean;
      readonly key: string | undefined;
    }
  | { readonly kind: "set"; readonly id: number; readonly completed: boolean }
  | { readonly kind: "rename"; readonly id: number; readonly title: string }
  | { readonly kind: "remove"; readonly id: number };

const title = fc.string({ unit: "binary", maxLength: 8 });
/** Small, so that existing, removed and never assigned ids all occur. */
const id = fc.integer({ min: 1, max: 6 });
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constant("create" as const),
    title,
    completed: fc.boolean(),
    key: fc.constantFrom(undefined, "k", "l"),
  }),
  fc.record({ kind: fc.constant("set" as const), id, completed: fc.boolean() }),
  fc.record({ kind: fc.constant("rename" as const), id, title }),
  fc.record({ kind: fc.constant("remove" as const), id }),
);

/** A simpler reference model of the todo list. */
interface Model {
  readonly nextId: number;
  readonly todos: readonly Todo[];
  /** The items that idempotency keys created, in order of creation. */
  readonly keys: ReadonlyMap<string, Todo>;
}

const emptyModel: Model = { nextId: 1, todos: [], keys: new Map() };

/** The clock of these tests stands still: every change advances `updatedAt` by a millisecond. */
const now = "2026-01-01T00:00:00.000Z";
const clock = () => Date.parse(now);

interface Step {
  readonly model: Model;
  /** The value that the change resolves with, or the code of the error that it rejects with. */
  readonly outcome: unknown;
  readonly isWritten: boolean;
}

/** Applies a change to the model. */
function after(model: Model, change: Change): Step {
  return change.kind === "create" ? afterCreation(model, change) : afterEdit(model, change);
}

function afterCreation(
  { nextId, todos, keys }: Model,
  { title, completed, key }: Extract<Change, { kind: "create" }>,
): Step {
  const existing = key === undefined ? undefined : keys.get(key);
  if (existing !== undefined) {
    const outcome = { todo: existing, origin: "replayed" };
    return { model: { nextId, todos, keys }, outcome, isWritten: false };
  }
  const todo = { id: nextId, title, completed, createdAt: now, updatedAt: now };
  const nextKeys = key === undefined ? keys : new Map([...keys, [key, todo]]);
  return {
    model: { nextId: nextId + 1, todos: [...todos, todo], keys: nextKeys },
    outcome: { todo, origin: "created" },
    isWritten: true,
  };
}

function afterEdit(model: Model, edit: Exclude<Change, { kind: "create" }>): Step {
  const existing = model.todos.find((todo) => todo.id === edit.id);
  if (existing === undefined) return { model, outcome: "not_found", isWritten: false };
  const updatedAt = new Date(Date.parse(existing.updatedAt) + 1).toISOString();
  const changed = {
    remove: undefined,
    set: { ...existing, updatedAt, ...(edit.kind === "set" && { completed: edit.completed }) },
    rename: { ...existing, updatedAt, ...(edit.kind === "rename" && { title: edit.title }) },
  }[edit.kind];
  const todos = model.todos.flatMap((todo) => (todo === existing ? (changed ?? []) : todo));
  return { model: { ...model, todos }, outcome: changed ?? "done", isWritten: true };
}

function submit(store: TodoStore, change: Change): Promise<unknown> {
  switch (change.kind) {
    case "create": {
      const { key, ...todo } = change;
      const fingerprint = "the same";
      return store.create(
        { title: todo.title, completed: todo.completed },
        key === undefined ? undefined : { key, fingerprint },
      );
    }
    case "set":
      return store.change(change.id, { completed: change.completed });
    case "rename":
      return store.change(change.id, { title: change.title });
    case "remove":
      return store.remove(change.id);
  }
}

/** The file content of a model. */
function fileOfModel({ nextId, todos, keys }: Model): FileContent {
  const toFile = ({ createdAt, updatedAt, ...todo }: Todo) => ({
    ...todo,
    created_at: createdAt,
    updated_at: updatedAt,
  });
  return {
    version: 2,
    nextId,
    items: todos.map(toFile),
    idempotencyKeys: [...keys].map(([key, todo]) => ({
      key,
      fingerprint: "the same",
      todo: toFile(todo),
      at: now,
    })),
  };
}

/** The outcome of a change: the created item, `done`, or the code of its error. */
function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => value ?? "done",
    (error) => error.code,
  );
}

interface Submitted {
  readonly change: Change;
  readonly outcome: Promise<unknown>;
}

/** A store whose writes the test controls, and the model that determines its expected behaviour. */
class HeldStore {
  readonly #writes = heldFileWrites();
  readonly #store = storeInMemory({ persist: this.#writes.persist, clock });
  #committed: Model = emptyModel;
  #group: readonly Submitted[] = [];
  #queue: Submitted[] = [];

  async submit(change: Change): Promise<void> {
    this.#queue.push({ change, outcome: outcomeOf(submit(this.#store, change)) });
    await microtasksDone();
    await this.#check();
  }

  async endWrite(result: "pass" | "fail"): Promise<void> {
    if (!this.#writes.inFlight) return;
    const { outcomes, model } = this.#apply(this.#group);
    await (result === "pass" ? this.#writes.pass() : this.#writes.fail(new Error("EIO")));
    const expected = result === "pass" ? outcomes : outcomes.map(() => "internal_error");
    expect(await Promise.all(this.#group.map(({ outcome }) => outcome))).toEqual(expected);
    if (result === "pass") this.#committed = model;
    this.#group = [];
    await this.#check();
  }

  async drain(): Promise<void> {
    while (this.#writes.inFlight) await this.endWrite("pass");
    expect(this.#queue).toEqual([]);
  }

  /** A queued group must be in flight if no other group is, or settled if it changes nothing. */
  async #check(): Promise<void> {
    if (this.#group.length === 0 && this.#queue.length > 0) {
      const { outcomes, model, isWritten } = this.#apply(this.#queue);
      const group = this.#queue;
      this.#queue = [];
      if (isWritten) {
        this.#group = group;
        expect(this.#writes.states.at(-1)).toEqual(fileOfModel(model));
      } else {
        expect(await Promise.all(group.map(({ outcome }) => outcome))).toEqual(outcomes);
      }
    }
    expect(this.#writes.inFlight).toBe(this.#group.length > 0);
    expect(this.#store.list()).toEqual(this.#committed.todos);
  }

  #apply(group: readonly Submitted[]) {
    let model = this.#committed;
    let isWritten = false;
    const outcomes = group.map(({ change }) => {
      const step = after(model, change);
      model = step.model;
      isWritten ||= step.isWritten;
      return step.outcome;
    });
    return { outcomes, model, isWritten };
  }
}

test("only durable changes are visible and acknowledged, even if writes hang or fail", async () => {
  const action = fc.oneof(
    { weight: 3, arbitrary: change },
    { weight: 1, arbitrary: fc.constantFrom("pass" as const, "fail" as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
      const held = new HeldStore();
      for (const action of actions) {
        await (typeof action === "string" ? held.endWrite(action) : held.submit(action));
      }
      await held.drain();
    }),
  );
});

test("on disk, the list equals the reference model after every group and every restart", async () => {
  const folder = await temporaryFolder();
  let runs = 0;
  const group = fc.record({
    changes: fc.array(change, { minLength: 1, maxLength: 6 }),
    restart: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(group, { maxLength: 8 }), async (groups) => {
      runs += 1;
      const path = join(folder, `${runs}.json`);
      let store = await openTodoStore(path, { clock });
      let model = emptyModel;
      for (const { changes, restart } of groups) {
        const outcomes = changes.map((change) => outcomeOf(submit(store, change)));
        for (const [index, change] of changes.entries()) {
          const step = after(model, change);
          expect(await outcomes[index]).toEqual(step.outcome);
          model = step.model;
        }
        expect(store.list()).toEqual(model.todos);
        if (model.nextId > 1) {
          expect(JSON.parse(await readFile(path, "utf8"))).toEqual(fileOfModel(model));
        }
        if (restart) {
          await store.close();
          store = await openTodoStore(path, { clock });
          expect(store.list()).toEqual(model.todos);
        }
      }
      await store.close();
    }),
    { numRuns: 40 },
  );
});
