import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Todo } from "../../src/todos/todo.js";
import { openTodoStore, type TodoStore } from "../../src/todos/todo-store.js";
import { storeInMemory } from "../support/store-in-memory.js";
import { type FileContent, heldFileWrites } from "./file-of.js";
import { microtasksDone } from "./held-writes.js";
import { temporaryFolder } from "./temporary-folder.js";

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
/** Small, so that ids that exist, that are gone and that never were all come up. */
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

/** What the todo list is: a second, simpler telling of it to compare with. */
interface Model {
  readonly nextId: number;
  readonly todos: readonly Todo[];
  /** What keys have created, in this order. */
  readonly keys: ReadonlyMap<string, Todo>;
}

const emptyModel: Model = { nextId: 1, todos: [], keys: new Map() };

/** The clock of these tests stands still: every change moves `updatedAt` by a millisecond. */
const now = "2026-01-01T00:00:00.000Z";
const clock = () => Date.parse(now);

interface Step {
  readonly model: Model;
  /** What the change resolves with, or the code of the error that it rejects with. */
  readonly outcome: unknown;
  readonly isWritten: boolean;
}

/** What a change makes of the list. */
function after(model: Model, wanted: Change): Step {
  return wanted.kind === "create" ? afterCreation(model, wanted) : afterEdit(model, wanted);
}

function afterCreation(
  { nextId, todos, keys }: Model,
  { title, completed, key }: Extract<Change, { kind: "create" }>,
): Step {
  const former = key === undefined ? undefined : keys.get(key);
  if (former !== undefined) {
    const outcome = { todo: former, origin: "replayed" };
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

function afterEdit(model: Model, wanted: Exclude<Change, { kind: "create" }>): Step {
  const former = model.todos.find((todo) => todo.id === wanted.id);
  if (former === undefined) return { model, outcome: "not_found", isWritten: false };
  const updatedAt = new Date(Date.parse(former.updatedAt) + 1).toISOString();
  const changed = {
    remove: undefined,
    set: { ...former, updatedAt, ...(wanted.kind === "set" && { completed: wanted.completed }) },
    rename: { ...former, updatedAt, ...(wanted.kind === "rename" && { title: wanted.title }) },
  }[wanted.kind];
  const todos = model.todos.flatMap((todo) => (todo === former ? (changed ?? []) : todo));
  return { model: { ...model, todos }, outcome: changed ?? "done", isWritten: true };
}

function submit(store: TodoStore, wanted: Change): Promise<unknown> {
  switch (wanted.kind) {
    case "create": {
      const { key, ...todo } = wanted;
      const fingerprint = "the same";
      return store.create(
        { title: todo.title, completed: todo.completed },
        key === undefined ? undefined : { key, fingerprint },
      );
    }
    case "set":
      return store.change(wanted.id, { completed: wanted.completed });
    case "rename":
      return store.change(wanted.id, { title: wanted.title });
    case "remove":
      return store.remove(wanted.id);
  }
}

/** The file that says what the model says. */
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

/** How a change ended: the created item, `done`, or the code of its error. */
function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => value ?? "done",
    (error) => error.code,
  );
}

interface Submitted {
  readonly wanted: Change;
  readonly outcome: Promise<unknown>;
}

/** A store whose writes the test holds, and the model that says what it has to show and answer. */
class HeldStore {
  readonly #writes = heldFileWrites();
  readonly #store = storeInMemory({ persist: this.#writes.persist, clock });
  #committed: Model = emptyModel;
  #group: readonly Submitted[] = [];
  #waiting: Submitted[] = [];

  async submit(wanted: Change): Promise<void> {
    this.#waiting.push({ wanted, outcome: outcomeOf(submit(this.#store, wanted)) });
    await microtasksDone();
    await this.#check();
  }

  async endWrite(how: "pass" | "fail"): Promise<void> {
    if (!this.#writes.inFlight) return;
    const { outcomes, model } = this.#apply(this.#group);
    await (how === "pass" ? this.#writes.pass() : this.#writes.fail(new Error("EIO")));
    const expected = how === "pass" ? outcomes : outcomes.map(() => "internal_error");
    expect(await Promise.all(this.#group.map(({ outcome }) => outcome))).toEqual(expected);
    if (how === "pass") this.#committed = model;
    this.#group = [];
    await this.#check();
  }

  async drain(): Promise<void> {
    while (this.#writes.inFlight) await this.endWrite("pass");
    expect(this.#waiting).toEqual([]);
  }

  /** A waiting group must be in flight when no other is, or be answered if nothing changes. */
  async #check(): Promise<void> {
    if (this.#group.length === 0 && this.#waiting.length > 0) {
      const { outcomes, model, isWritten } = this.#apply(this.#waiting);
      const group = this.#waiting;
      this.#waiting = [];
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
    const outcomes = group.map(({ wanted }) => {
      const step = after(model, wanted);
      model = step.model;
      isWritten ||= step.isWritten;
      return step.outcome;
    });
    return { outcomes, model, isWritten };
  }
}

test("whatever comes while a write is held or fails: what is shown and answered was written", async () => {
  const action = fc.oneof(
    { weight: 3, arbitrary: change },
    { weight: 1, arbitrary: fc.constantFrom("pass" as const, "fail" as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
      const held = new HeldStore();
      for (const one of actions) {
        await (typeof one === "string" ? held.endWrite(one) : held.submit(one));
      }
      await held.drain();
    }),
  );
});

test("on disk: after every group of changes and every restart the list is the model's", async () => {
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
        const outcomes = changes.map((wanted) => outcomeOf(submit(store, wanted)));
        for (const [index, wanted] of changes.entries()) {
          const step = after(model, wanted);
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
