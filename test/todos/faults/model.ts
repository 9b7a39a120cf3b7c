import type { Todo, TodoPage, TodoPosition } from "../../../src/todos/todo.js";
import type {
  ChangeOperation,
  CrashOperation,
  DiskState,
  ItemChoice,
  PageOperation,
} from "./operations.js";

/** What a key has created, and when: in milliseconds since 1970. */
export interface KeyRecord {
  readonly fingerprint: string;
  readonly todo: Todo;
  readonly at: number;
}

/** All that a todo list says. */
export interface ListState {
  readonly nextId: number;
  readonly todos: readonly Todo[];
  readonly keys: ReadonlyMap<string, KeyRecord>;
}

export const emptyState: ListState = { nextId: 1, todos: [], keys: new Map() };

/** How a change ends: what it resolves with (`done` for nothing), or its error's code. */
export type Outcome = unknown;

interface Step {
  readonly state: ListState;
  readonly outcome: Outcome;
}

/** A change that says whose: clients go by what they see before they submit. */
export type NamedChange =
  | Extract<ChangeOperation, { kind: "create" }>
  | (Exclude<ChangeOperation, { kind: "create" }> & { readonly id: number });

export interface NamedCrash {
  readonly changes: readonly NamedChange[];
  readonly how: CrashOperation["how"];
  /** How many of the changes were answered before. */
  readonly told: number;
}

const errorOf: Readonly<Record<Exclude<DiskState, "works">, string>> = {
  full: "storage_full",
  broken: "internal_error",
  "read-only": "storage_unavailable",
  "folder broken": "internal_error",
};

const DAY_MS = 24 * 60 * 60 * 1000;

/** A second, naive telling of the store, with its disk and its clock. */
export class Model {
  now: number;
  disk: DiskState = "works";
  /** What readers see. */
  #shown = emptyState;
  /** What writes whose last step failed have put into the file since. */
  #doubtful: readonly ListState[] = [];

  constructor(now: number) {
    this.now = now;
  }

  get shown(): ListState {
    return this.#shown;
  }

  idOf({ isThere, number }: ItemChoice): number {
    const { todos, nextId } = this.#shown;
    const found = todos[number % Math.max(1, todos.length)];
    if (isThere && found !== undefined) return found.id;
    const absent = 1 + (number % (nextId + 3));
    return todos.some(({ id }) => id === absent) ? nextId + 3 : absent;
  }

  /** Changes that come at once: the first is written alone, the others wait for it. */
  submit(changes: readonly NamedChange[]): readonly Outcome[] {
    return groupsOf(changes).flatMap((group) => {
      const { state, outcomes, isWritten } = this.#apply(group, this.#shown);
      if (isWritten && this.disk !== "works") {
        if (this.disk === "folder broken") this.#doubtful = [...this.#doubtful, state];
        const code = errorOf[this.disk];
        return outcomes.map(() => code);
      }
      if (isWritten) this.found(state);
      return outcomes;
    });
  }

  /** What is shown after a start is what the file says. */
  get written(): ListState {
    return this.#doubtful.at(-1) ?? this.#shown;
  }

  /** The states that may be found after a crash on a disk that works. */
  afterCrash({ changes, how, told }: NamedCrash): readonly ListState[] {
    let possible = how === "killed" ? [this.written] : [this.#shown, ...this.#doubtful];
    let state = this.#shown;
    let answered = 0;
    for (const group of groupsOf(changes)) {
      const step = this.#apply(group, state);
      state = step.state;
      answered += group.length;
      if (step.isWritten) possible = answered <= told ? [state] : [...possible, state];
    }
    return possible;
  }

  /** A state is in the file for good, and shown. */
  found(state: ListState): void {
    this.#shown = state;
    this.#doubtful = [];
  }

  page({ order, filter, limit }: PageOperation, after: TodoPosition | undefined): TodoPage {
    const place = (todo: Todo): TodoPosition => ({
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
        // An item is never after itself, whatever of it has changed.
        if (field === "id") return 0;
      }
      return a.id - b.id;
    };
    const { completed, titleContains = "" } = filter;
    const all = this.#shown.todos
      .filter((todo) => completed === undefined || todo.completed === completed)
      .filter(({ title }) => title.toLowerCase().includes(titleContains.toLowerCase()))
      .toSorted((a, b) => compare(place(a), place(b)))
      .filter((todo) => after === undefined || compare(place(todo), after) > 0);
    const items = all.slice(0, limit);
    const last = items.at(-1);
    return { items, next: last !== undefined && all.length > limit ? place(last) : undefined };
  }

  #apply(group: readonly NamedChange[], from: ListState) {
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

  /** A write drops the keys that no longer answer. */
  #withLiveKeys({ keys, ...state }: ListState): ListState {
    return { ...state, keys: new Map([...keys].filter(([, record]) => this.#answers(record))) };
  }

  #create(
    state: ListState,
    { title, completed, key, fingerprint }: Extract<NamedChange, { kind: "create" }>,
  ): Step {
    const former = key === undefined ? undefined : state.keys.get(key);
    if (former !== undefined && this.#answers(former)) {
      const replayed = { todo: former.todo, origin: "replayed" };
      return {
        state,
        outcome: former.fingerprint === fingerprint ? replayed : "idempotency_key_reused",
      };
    }
    const at = new Date(this.now).toISOString();
    const todo = { id: state.nextId, title, completed, createdAt: at, updatedAt: at };
    const keys = new Map(state.keys);
    if (key !== undefined) keys.set(key, { fingerprint, todo, at: this.now });
    return {
      state: { nextId: state.nextId + 1, todos: [...state.todos, todo], keys },
      outcome: { todo, origin: "created" },
    };
  }

  #edit(state: ListState, edit: Exclude<NamedChange, { kind: "create" }>): Step {
    const former = state.todos.find(({ id }) => id === edit.id);
    if (former === undefined) return { state, outcome: "not_found" };
    if (edit.condition === "fails") return { state, outcome: "etag_mismatch" };
    const others = (changed: readonly Todo[]) =>
      state.todos.flatMap((todo) => (todo === former ? changed : todo));
    if (edit.kind === "remove") {
      return { state: { ...state, todos: others([]) }, outcome: "done" };
    }
    const updatedAt = new Date(Math.max(this.now, Date.parse(former.updatedAt) + 1)).toISOString();
    const changed = { ...former, ...edit.change, updatedAt };
    return { state: { ...state, todos: others([changed]) }, outcome: changed };
  }

  #answers({ at }: KeyRecord): boolean {
    return this.now - at < DAY_MS;
  }
}

function groupsOf(changes: readonly NamedChange[]): readonly (readonly NamedChange[])[] {
  return [changes.slice(0, 1), changes.slice(1)].filter((group) => group.length > 0);
}
