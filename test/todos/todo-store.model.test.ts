import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Todo } from "../../src/todos/todo.js";
import { emptyTodoFile, type TodoFile } from "../../src/todos/todo-file.js";
import { openTodoStore, TodoStore } from "../../src/todos/todo-store.js";
import { HeldWrites, microtasksDone } from "./held-writes.js";
import { temporaryFolder } from "./temporary-folder.js";

type Change =
  | { readonly kind: "create"; readonly title: string; readonly completed: boolean }
  | { readonly kind: "set"; readonly id: number; readonly completed: boolean }
  | { readonly kind: "remove"; readonly id: number };

const title = fc.string({ unit: "binary", maxLength: 8 });
/** Small, so that ids that exist, that are gone and that never were all come up. */
const id = fc.integer({ min: 1, max: 6 });
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant("create" as const), title, completed: fc.boolean() }),
  fc.record({ kind: fc.constant("set" as const), id, completed: fc.boolean() }),
  fc.record({ kind: fc.constant("remove" as const), id }),
);

/** What the todo list is: a second, simpler telling of it to compare with. */
interface Model {
  readonly nextId: number;
  readonly todos: readonly Todo[];
}

/** The list after a change; undefined when the change is refused as `not_found`. */
function after({ nextId, todos }: Model, wanted: Change): Model | undefined {
  if (wanted.kind === "create") {
    const todo = { id: nextId, title: wanted.title, completed: wanted.completed };
    return { nextId: nextId + 1, todos: [...todos, todo] };
  }
  if (!todos.some((todo) => todo.id === wanted.id)) return undefined;
  return wanted.kind === "remove"
    ? { nextId, todos: todos.filter((todo) => todo.id !== wanted.id) }
    : {
        nextId,
        todos: todos.map((todo) =>
          todo.id === wanted.id ? { ...todo, completed: wanted.completed } : todo,
        ),
      };
}

function submit(store: TodoStore, wanted: Change): Promise<unknown> {
  if (wanted.kind === "create") {
    return store.create({ title: wanted.title, completed: wanted.completed });
  }
  return wanted.kind === "set"
    ? store.setCompleted(wanted.id, wanted.completed)
    : store.remove(wanted.id);
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
  readonly #writes = new HeldWrites<TodoFile>();
  readonly #store = new TodoStore(emptyTodoFile(), this.#writes.persist);
  #committed: Model = { nextId: 1, todos: [] };
  #group: readonly Submitted[] = [];
  #waiting: Submitted[] = [];

  async submit(wanted: Change): Promise<void> {
    this.#waiting.push({ wanted, outcome: outcomeOf(submit(this.#store, wanted)) });
    await microtasksDone();
    await this.#check();
  }

  async endWrite(how: "pass" | "fail"): Promise<void> {
    if (!this.#writes.inFlight) return;
    const { outcomes, next } = this.#apply(this.#group);
    await (how === "pass" ? this.#writes.pass() : this.#writes.fail(new Error("EIO")));
    const expected = how === "pass" ? outcomes : outcomes.map(() => "internal_error");
    expect(await Promise.all(this.#group.map(({ outcome }) => outcome))).toEqual(expected);
    if (how === "pass") this.#committed = next;
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
      const { outcomes, next } = this.#apply(this.#waiting);
      const group = this.#waiting;
      this.#waiting = [];
      if (outcomes.every((outcome) => outcome === "not_found")) {
        expect(await Promise.all(group.map(({ outcome }) => outcome))).toEqual(outcomes);
      } else {
        this.#group = group;
        const written = this.#writes.states.at(-1);
        expect(written).toEqual({ version: 1, nextId: next.nextId, items: next.todos });
      }
    }
    expect(this.#writes.inFlight).toBe(this.#group.length > 0);
    expect(this.#store.list()).toEqual(this.#committed.todos);
  }

  #apply(group: readonly Submitted[]): { outcomes: unknown[]; next: Model } {
    let next = this.#committed;
    const outcomes = group.map(({ wanted }) => {
      const changed = after(next, wanted);
      if (changed === undefined) return "not_found";
      next = changed;
      return wanted.kind === "create" ? changed.todos.at(-1) : "done";
    });
    return { outcomes, next };
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
      let store = await openTodoStore(path);
      let model: Model = { nextId: 1, todos: [] };
      for (const { changes, restart } of groups) {
        const outcomes = changes.map((wanted) => outcomeOf(submit(store, wanted)));
        for (const [index, wanted] of changes.entries()) {
          const next = after(model, wanted);
          const refused = (await outcomes[index]) === "not_found";
          expect(refused).toBe(next === undefined);
          model = next ?? model;
        }
        expect(store.list()).toEqual(model.todos);
        if (model.nextId > 1) {
          const file = JSON.parse(await readFile(path, "utf8"));
          expect(file).toEqual({ version: 1, nextId: model.nextId, items: model.todos });
        }
        if (restart) {
          await store.close();
          store = await openTodoStore(path);
          expect(store.list()).toEqual(model.todos);
        }
      }
    }),
    { numRuns: 40 },
  );
});
