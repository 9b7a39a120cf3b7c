import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import { parseTodoFile } from "../../../src/todos/file/todo-file.js";
import type { IdempotencyKey, Precondition, TodoPosition } from "../../../src/todos/todo.js";
import { openTodoStore, type TodoStore } from "../../../src/todos/todo-store.js";
import { afterPowerFailure } from "../../support/power-failure.js";
import { randomChoice } from "../../support/random-choice.js";
import {
  SimulatedFile,
  SimulatedFolder,
  SimulatedProcess,
  type Step,
  type StepOutcome,
} from "../../support/simulated-disk.js";
import { type BoundChange, emptyState, type ListState, Model, type Outcome } from "./model.js";
import type {
  ChangeOperation,
  Condition,
  CrashOperation,
  Operation,
  PageOperation,
} from "./operations.js";

const NAME = "todos.json";
const START = Date.parse("2026-01-01T00:00:00.000Z");

const lockOfOneProcess = () =>
  Promise.resolve({ confirm: () => Promise.resolve(), release: () => Promise.resolve() });

interface Paging {
  readonly page: PageOperation;
  readonly next: TodoPosition;
}

interface Crash {
  stepsLeft: number;
  readonly onCrash: () => void;
}

/** A store on a simulated disk, and the model that determines its expected behaviour. */
export class StoreUnderTest {
  readonly #model = new Model(START);
  #root = new SimulatedFolder();
  /** The next crash. */
  #crash: Crash | undefined;
  /** Whether a file was renamed and its folder has not been synced since. */
  #isRenamed = false;
  #paging: Paging | undefined;

  /** Runs the operations, and compares with the model after each. */
  async run(operations: readonly Operation[]): Promise<void> {
    let store = await this.#open();
    for (const operation of operations) {
      store = await this.#perform(store, operation);
      expectSame(store.list(), this.#model.visible.todos);
    }
    await store.close();
  }

  /** @returns the store that is open at the end */
  async #perform(store: TodoStore, operation: Operation): Promise<TodoStore> {
    switch (operation.kind) {
      case "submit": {
        const changes = this.#bind(operation.changes);
        const outcomes = Promise.all(changes.map((change) => outcomeOf(submit(store, change))));
        expectSame(await outcomes, this.#model.submit(changes));
        return store;
      }
      case "find": {
        const id = this.#model.idOf(operation.item);
        const found = await outcomeOf((async () => store.find(id))());
        const expected = this.#model.visible.todos.find((todo) => todo.id === id);
        expectSame(found, expected ?? "not_found");
        return store;
      }
      case "page":
        await this.#page(store, operation, undefined);
        return store;
      case "next page":
        if (this.#paging !== undefined) {
          await this.#page(store, this.#paging.page, this.#paging.next);
        }
        return store;
      case "restart":
        return this.#restart(store);
      case "crash":
        return this.#crashDuring(store, operation);
      case "wait":
        this.#model.now += operation.milliseconds;
        return store;
      case "disk":
        this.#model.disk = operation.state;
        return store;
    }
  }

  #bind(changes: readonly ChangeOperation[]): readonly BoundChange[] {
    return changes.map((change) =>
      change.kind === "create" ? change : { ...change, id: this.#model.idOf(change.item) },
    );
  }

  async #page(
    store: TodoStore,
    page: PageOperation,
    after: TodoPosition | undefined,
  ): Promise<void> {
    const found = await store.readPage({ ...page, after });
    expectSame(found, this.#model.page(page, after));
    this.#paging = found.next && { page, next: found.next };
  }

  async #restart(store: TodoStore): Promise<TodoStore> {
    await store.close();
    const refused = await outcomeOf(store.create({ title: "late", completed: false }));
    expectSame(refused, "shutting_down");
    this.#expectFile([this.#model.written]);
    return this.#open();
  }

  async #crashDuring(store: TodoStore, operation: CrashOperation): Promise<TodoStore> {
    this.#model.disk = "works";
    const changes = this.#bind(operation.changes);
    let answeredCount = 0;
    const crashed = new Promise<void>((resolve) => {
      this.#crash = { stepsLeft: operation.steps, onCrash: resolve };
    });
    const answers = changes.map(async (change) => {
      await outcomeOf(submit(store, change));
      answeredCount += 1;
    });
    await Promise.race([crashed, Promise.all(answers)]);
    this.#crash = undefined;
    const { how, seed } = operation;
    if (how === "power failure") {
      this.#root = afterPowerFailure(this.#root, "journalled", randomChoice(seed));
    }
    this.#expectFile(this.#model.afterCrash({ changes, how, answeredCount }));
    return this.#open();
  }

  /** The disk works during a start. */
  async #open(): Promise<TodoStore> {
    const { disk } = this.#model;
    this.#model.disk = "works";
    this.#isRenamed = false;
    const files = new SimulatedProcess({
      root: this.#root,
      outcomeOfStep: (step) => this.#outcomeOfStep(step),
    });
    const store = await openTodoStore(`/${NAME}`, {
      files,
      acquireLock: lockOfOneProcess,
      reserveSlackBytes: 256,
      clock: () => this.#model.now,
    });
    this.#model.disk = disk;
    return store;
  }

  /** The file must contain one of these states, which the next start makes visible. */
  #expectFile(possible: readonly ListState[]): void {
    const file = this.#fileState();
    if (!possible.some((state) => isDeepStrictEqual(state, file))) {
      expectSame(file, possible[0]);
    }
    this.#model.commit(file);
  }

  #fileState(): ListState {
    const node = this.#root.entries.get(NAME);
    if (!(node instanceof SimulatedFile)) return emptyState;
    const { nextId, records, idempotency } = parseTodoFile(JSON.parse(String(node.content.bytes)));
    return {
      nextId,
      todos: records.map(({ todo }) => todo),
      keys: new Map(idempotency.map(({ key, ...record }) => [key, record])),
    };
  }

  #outcomeOfStep({ operation, path }: Step): StepOutcome {
    if (this.#crash !== undefined) {
      this.#crash.stepsLeft -= 1;
      if (this.#crash.stepsLeft < 0) {
        this.#crash.onCrash();
        return { kind: "killed" };
      }
    }
    const { disk } = this.#model;
    const isFile = path !== "/";
    if (operation === "open" && isFile) {
      this.#isRenamed = false;
      if (disk === "read-only") return failed("EROFS", "nothing");
    }
    if (operation === "rename") this.#isRenamed = true;
    if (operation === "writev" && disk === "full") return failed("ENOSPC", "half");
    if (operation === "sync" && isFile && disk === "broken") return failed("EIO", "nothing");
    if (operation === "sync" && this.#isRenamed && disk === "folder broken") {
      return failed("EIO", "nothing");
    }
    return { kind: "done" };
  }
}

function failed(code: string, done: "nothing" | "half"): StepOutcome {
  return { kind: "failed", code, done };
}

function submit(store: TodoStore, change: BoundChange): Promise<unknown> {
  switch (change.kind) {
    case "create": {
      const { title, completed, key, fingerprint } = change;
      const idempotency: IdempotencyKey | undefined =
        key === undefined ? undefined : { key, fingerprint };
      return store.create({ title, completed }, idempotency);
    }
    case "change":
      return store.change(change.id, change.change, preconditionOf(change.condition));
    case "remove":
      return store.remove(change.id, preconditionOf(change.condition));
  }
}

function preconditionOf(condition: Condition): Precondition | undefined {
  if (condition === "none") return undefined;
  return () => {
    if (condition === "fails") throw new GgufdError("etag_mismatch", "stale");
  };
}

/** The value that a promise resolves with, `done` for none, or the code of its error. */
function outcomeOf(promise: Promise<unknown>): Promise<Outcome> {
  return promise.then(
    (value) => value ?? "done",
    (error) => error.code ?? error,
  );
}

/** The fast comparison first: this runs some hundred thousand times. */
function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toStrictEqual(expected);
}
