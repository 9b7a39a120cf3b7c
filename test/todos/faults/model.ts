import type { Todo, TodoPage, TodoPosition } from "../../../src/todos/todo.js";
import type {
  ChangeOperation,
  CrashOperation,
  DiskState,
  ItemChoice,
  PageOperation,
} from "./operations.js";

/** The item that a key created, and when. */
export interface KeyRecord {
  readonly fingerprint: string;
  readonly todo: Todo;
  readonly createdAtMs: number;
}

/** The complete state of a todo list. */
export interface ListState {
  readonly nextId: number;
  readonly todos: readonly Todo[];
  readonly keys: ReadonlyMap<string, KeyRecord>;
}

export const emptyState: ListState = { nextId: 1, todos: [], keys: new Map() };

/** The outcome of a change: the value it resolves with (`done` for none), or its error's code. */
export type Outcome = unknown;

interface Step {
  readonly state: ListState;
  readonly outcome: Outcome;
}

/** A change bound to an item id, which clients choose from the state before they submit. */
export type BoundChange =
  | Extract<ChangeOperation, { kind: "create" }>
  | (Exclude<ChangeOperation, { kind: "create" }> & { readonly id: number });

export interface BoundCrash {
  readonly changes: readonly BoundChange[];
  readonly how: CrashOperation["how"];
  /** Number of the changes that were answered before the crash. */
  readonly answeredCount: number;
}

const errorOf: Readonly<Record<Exclude<DiskState, "works">, string>> = {
  full: "storage_full",
  broken: "internal_error",
  "read-only": "storage_unavailable",
  "folder broken": "internal_error",
};

const DAY_MS = 24 * 60 * 60 * 1000;

/** A naive reference model of the store, with its disk and its clock. */
export class Model {
  now: number;
  disk: DiskState = "works";
  /** The state that readers see. */
  #visible = emptyState;
  /** States written to the file since, by writes whose last step failed. */
  #uncertain: readonly ListState[] = [];

  constructor(now: number) {
    this.now = now;
  }

  get visible(): ListState {
    return this.#visible;
  }

  idOf({ exists, number }: ItemChoice): number {
    const { todos, nextId } = this.#visible;
    const found = todos[number % Math.max(1, todos.length)];
    if (exists && found !== undefined) return found.id;
    const absent = 1 + (number % (nextId + 3));
    return todos.some(({ id }) => id === absent) ? nextId + 3 : absent;
  }

  /** Concurrent changes: the first is written alone, the others are queued behind it. */
  submit(changes: readonly BoundChange[]): readonly Outcome[] {
    return groupsOf(changes).flatMap((group) => {
      const { state, outcomes, isWritten } = this.#apply(group, this.#visible);
      if (isWritten && this.disk !== "works") {
        if (this.disk === "folder broken") this.#uncertain = [...this.#uncertain, state];
        const code = errorOf[this.disk];
        // On a full disk each is tried alone, and none fits.
        const isRefused = (change: BoundChange) =>
          this.disk === "full" && !this.#apply([change], this.#visible).isWritten;
        return group.map((change) =>
          isRefused(change) ? this.#apply([change], this.#visible).outcomes[0] : code,
        );
      }
      if (isWritten) this.commit(state);
      return outcomes;
    });
  }

  /** The content of the file, which a restart makes visible. */
  get written(): ListState {
    return this.#uncertain.at(-1) ?? this.#visible;
  }

  /** The states that may be recovered after a crash on a working disk. */
  afterCrash({ changes, how, answeredCount }: BoundCrash): readonly ListState[] {
    let possible = how === "killed" ? [this.written] : [this.#visible, ...this.#uncertain];
    let state = this.#visible;
    let processedCount = 0;
    for (const group of groupsOf(changes)) {
      const step = this.#apply(group, state);
      state = step.state;
      processedCount += group.length;
      if (step.isWritten)
        possible = processedCount <= answeredCount ? [state] : [...possible, state];
    }
    return possible;
  }

  /** Makes a state durable and visible. */
  commit(state: ListState): void {
    this.#visible = state;
    this.#uncertain = [];
  }

  page({ order, filter, limit }: PageOperation, after: TodoPosition | undefined): TodoPage {
    const positionOf = (todo: Todo): TodoPosition => ({
      values: order.map(({ field }) =>
        field === "title" ? todo.title.slice(0, 200) : todo[field],
      ),
      id: todo.id,
    });
    const compare = (a: TodoPosition, b: TodoPosition) => {
      for (const [index, { field, direction }] of order.entries()) {
        const [first = 0, second = 0] = [a.values[index], b.values[index]];
        if (first < second) return direction === "ascending" ? -1 : 1;
        if (first > second) return direction === "ascending" ? 1 : -1;
        // An item is never after itself, even if it has changed.
        if (field === "id") return 0;
      }
      return a.id - b.id;
    };
    const { completed, titleContains = "" } = filter;
    const all = this.#visible.todos
      .filter((todo) => completed === undefined || todo.completed === completed)
      .filter(({ title }) => title.toLowerCase().includes(titleContains.toLowerCase()))
      .toSorted((a, b) => compare(positionOf(a), positionOf(b)))
      .filter((todo) => after === undefined || compare(positionOf(todo), after) > 0);
    const items = all.slice(0, limit);
    const last = items.at(-1);
    return { items, next: last !== undefined && all.length > limit ? positionOf(last) : undefined };
  }

  #apply(group: readonly BoundChange[], from: ListState) {
    const draft = this.#withLiveKeys(from);
    let state = draft;
    const outcomes = group.map((change) => {
      const step =
        change.kind === "create" ? this.#create(state, change) : this.#edit(state, change);
      state = step.state;
      return step.outcome;
    });
    const isWritten = state !== draft;
    return { state: isWritten ? state : from, outcomes, isWritten };
  }

  /** A write drops expired keys. */
  #withLiveKeys({ keys, ...state }: ListState): ListState {
    return { ...state, keys: new Map([...keys].filter(([, record]) => this.#isLive(record))) };
  }

  #create(
    state: ListState,
    { title, completed, key, fingerprint }: Extract<BoundChange, { kind: "create" }>,
  ): Step {
    const existing = key === undefined ? undefined : state.keys.get(key);
    if (existing !== undefined && this.#isLive(existing)) {
      const replayed = { todo: existing.todo, origin: "replayed" };
      return {
        state,
        outcome: existing.fingerprint === fingerprint ? replayed : "idempotency_key_reused",
      };
    }
    const at = new Date(this.now).toISOString();
    const todo = { id: state.nextId, title, completed, createdAt: at, updatedAt: at };
    const keys = new Map(state.keys);
    if (key !== undefined) keys.set(key, { fingerprint, todo, createdAtMs: this.now });
    return {
      state: { nextId: state.nextId + 1, todos: [...state.todos, todo], keys },
      outcome: { todo, origin: "created" },
    };
  }

  #edit(state: ListState, edit: Exclude<BoundChange, { kind: "create" }>): Step {
    const existing = state.todos.find(({ id }) => id === edit.id);
    if (existing === undefined) return { state, outcome: "not_found" };
    if (edit.condition === "fails") return { state, outcome: "etag_mismatch" };
    const others = (changed: readonly Todo[]) =>
      state.todos.flatMap((todo) => (todo === existing ? changed : todo));
    if (edit.kind === "remove") {
      return { state: { ...state, todos: others([]) }, outcome: "done" };
    }
    const updatedAt = new Date(
      Math.max(this.now, Date.parse(existing.updatedAt) + 1),
    ).toISOString();
    const changed = { ...existing, ...edit.change, updatedAt };
    return { state: { ...state, todos: others([changed]) }, outcome: changed };
  }

  #isLive({ createdAtMs }: KeyRecord): boolean {
    return this.now - createdAtMs < DAY_MS;
  }
}

function groupsOf(changes: readonly BoundChange[]): readonly (readonly BoundChange[])[] {
  return [changes.slice(0, 1), changes.slice(1)].filter((group) => group.length > 0);
}
