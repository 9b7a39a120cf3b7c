import { basename, dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { GgufdError } from "../../../src/core/errors.js";
import type { FileSystem } from "../../../src/todos/file/file-system.js";
import type { IdempotencyKey, Todo } from "../../../src/todos/todo.js";
import { openTodoStore, type TodoStore } from "../../../src/todos/todo-store.js";
import { afterPowerFailure, snapshotOf } from "./power-failure.js";
import {
  type DiskNode,
  type Fate,
  MODIFIED_AT,
  SimulatedFile,
  SimulatedFolder,
  SimulatedProcess,
  type Step,
} from "./simulated-disk.js";
import { type Try, Witness } from "./witness.js";

const PATH = "/srv/data/todos.json";
const NOW = Date.parse("2026-01-02T00:00:00.000Z");

/** Bytes that a write takes: a file takes several, so that histories can be cut between them. */
const BYTES_AT_ONCE = 600;

const stillClock = () => NOW;
const lockOfOneProcess = () =>
  Promise.resolve({ confirm: () => Promise.resolve(), release: () => Promise.resolve() });

/** What is on the disk in the beginning. */
export type Beginning = "no folder" | "no file" | "version 1" | "version 1, older backup";

type Wish =
  | { readonly kind: "create"; readonly completed: boolean; readonly hasKey: boolean }
  | { readonly kind: "set"; readonly pick: number; readonly completed: boolean }
  | { readonly kind: "remove"; readonly pick: number };

/** What happens at a step of a phase, counted from its beginning. */
interface Incident {
  readonly step: number;
  readonly fate: Fate;
}

/** Changes that are submitted at once, and what happens meanwhile and then. */
export interface Phase {
  readonly wishes: readonly Wish[];
  readonly incidents: readonly Incident[];
  readonly end: "go on" | "restart";
}

export interface History {
  readonly beginning: Beginning;
  readonly phases: readonly Phase[];
}

const pick = fc.nat({ max: 1000 });
const wish: fc.Arbitrary<Wish> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("create" as const),
      completed: fc.boolean(),
      hasKey: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("set" as const), pick, completed: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), pick }) },
);

const fate: fc.Arbitrary<Fate> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("failed" as const),
      code: fc.constantFrom("ENOSPC", "EIO"),
      done: fc.constantFrom("nothing" as const, "half" as const, "all" as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "killed" as const }) },
);

/** A group takes some dozen steps, and the first one in a place with no folders the most. */
const incident = fc.record({ step: fc.nat({ max: 35 }), fate });

const phase: fc.Arbitrary<Phase> = fc.record({
  wishes: fc.array(wish, { minLength: 1, maxLength: 5 }),
  incidents: fc.array(incident, { maxLength: 2 }),
  end: fc.constantFrom("go on" as const, "go on" as const, "restart" as const),
});

export const history: fc.Arbitrary<History> = fc.record({
  beginning: fc.constantFrom<Beginning>(
    "no folder",
    "no file",
    "version 1",
    "version 1, older backup",
  ),
  phases: fc.array(phase, { minLength: 1, maxLength: 8 }),
});

const oldItems = [2, 5, 8].map((id) => ({ id, title: `old ${id}`, completed: id === 5 }));
const oldTodos: readonly Todo[] = oldItems.map((item) => ({
  ...item,
  createdAt: MODIFIED_AT,
  updatedAt: MODIFIED_AT,
}));

const OLD_MODE = 0o640;
const OLD_BACKUP = Buffer.from("older");
const OLD_FILE = Buffer.from(
  JSON.stringify({
    version: 1,
    nextId: 9,
    owner: "kept",
    items: oldItems,
  }),
);

/** A moment of a history: the disk, and what the store has told until then. */
export interface Cut {
  readonly beginning: Beginning;
  readonly root: SimulatedFolder;
  readonly witness: Witness;
}

const changesNothing = new Set<Step["operation"]>(["readFile", "realpath", "stat", "close"]);

/** What stands between the store and the disk. */
export type Wrap = (files: FileSystem) => FileSystem;

/** Lives through a history, and gives every moment of it in which something had happened. */
export async function cutsOf({ beginning, phases }: History, wrap: Wrap): Promise<readonly Cut[]> {
  const life = new Life(beginning, wrap);
  await life.live(phases);
  return life.cuts;
}

class Life {
  readonly cuts: Cut[] = [];
  readonly #beginning: Beginning;
  readonly #wrap: Wrap;
  readonly #root: SimulatedFolder;
  readonly #witness: Witness;
  #incidents: readonly Incident[] = [];
  #steps = 0;
  #names = 0;
  /** Whether anything happened since the last cut. */
  #isNew = true;
  #onKilled: () => void = () => undefined;

  constructor(beginning: Beginning, wrap: Wrap) {
    this.#beginning = beginning;
    this.#wrap = wrap;
    this.#root = rootOf(beginning);
    this.#witness = new Witness(hasOldFile(beginning) ? oldTodos : []);
  }

  /** Lives through a history from the first start on. */
  async live(phases: readonly Phase[]): Promise<void> {
    let store = await this.#start();
    for (const one of phases) store = await this.#pass(store, one);
  }

  async #start(): Promise<TodoStore> {
    const files = new SimulatedProcess({
      root: this.#root,
      fateOf: (step) => this.#fateOfStep(step),
      bytesAtOnce: BYTES_AT_ONCE,
    });
    const store = await openStore(this.#wrap(files));
    this.#witness.found(store.list());
    this.#isNew = true;
    this.#cut();
    return store;
  }

  /** Gives the store that is open then. */
  async #pass(store: TodoStore, { wishes, incidents, end }: Phase): Promise<TodoStore> {
    this.#steps = 0;
    this.#incidents = incidents;
    const killed = new Promise<"killed">((resolve) => {
      this.#onKilled = () => resolve("killed");
    });
    const settled = Promise.all(this.#wanted(wishes).map((wanted) => this.#submit(store, wanted)));
    const outcome = await Promise.race([settled, killed]);
    this.#incidents = [];
    this.#cut();
    if (outcome !== "killed") {
      if (end === "go on") return store;
      await store.close();
    }
    return this.#start();
  }

  /** Each item is changed by one of the wishes at most, so that it is clear what it has to be. */
  #wanted(wishes: readonly Wish[]): readonly Try[] {
    const free = [...this.#witness.settled];
    return wishes.flatMap((one): Try[] => {
      if (one.kind === "create") {
        this.#names += 1;
        const key = one.hasKey ? `key ${this.#names}` : undefined;
        return [{ kind: "create", title: `item ${this.#names}`, completed: one.completed, key }];
      }
      const [todo] = free.splice(one.pick % Math.max(1, free.length), 1);
      if (todo === undefined) return [];
      const { id } = todo;
      return one.kind === "set"
        ? [{ kind: "set", id, completed: one.completed }]
        : [{ kind: "remove", id }];
    });
  }

  async #submit(store: TodoStore, wanted: Try): Promise<void> {
    const token = this.#witness.submitted(wanted);
    try {
      this.#witness.succeeded(token, await submit(store, wanted));
    } catch (error) {
      if (!(error instanceof GgufdError)) throw error;
      this.#witness.refused(token);
    }
    this.#isNew = true;
  }

  #fateOfStep({ operation }: Step): Fate {
    this.#cut();
    this.#isNew ||= !changesNothing.has(operation);
    const step = this.#steps;
    this.#steps += 1;
    const met = this.#incidents.find((one) => one.step === step)?.fate ?? { kind: "done" };
    if (met.kind === "killed") this.#onKilled();
    return met;
  }

  #cut(): void {
    if (!this.#isNew) return;
    this.#isNew = false;
    const root = snapshotOf(this.#root);
    this.cuts.push({ beginning: this.#beginning, root, witness: this.#witness.clone() });
  }
}

/**
 * Starts a store on a disk that was left after a cut, and makes sure that it has all that it had
 * told, and works.
 * @throws {Error} for what is not as it must be
 */
export async function checkRestart(root: SimulatedFolder, cut: Cut, wrap: Wrap): Promise<void> {
  checkFiles(root, cut.beginning);
  const witness = cut.witness.clone();
  const store = await openStore(wrap(new SimulatedProcess({ root })));
  witness.found(store.list());
  for (const [key, answer] of witness.answersByKey) {
    const { todo, origin } = await store.create({ title: "another", completed: true }, keyOf(key));
    if (origin !== "replayed" || !isDeepStrictEqual(todo, answer)) {
      throw new Error(`${key} was acknowledged and does not answer as it did`);
    }
  }
  const wanted: Try = { kind: "create", title: "afterwards", completed: false, key: undefined };
  const token = witness.submitted(wanted);
  witness.succeeded(token, await submit(store, wanted));
  await store.close();
  const left = afterPowerFailure(root, "journalled", () => 0);
  const next = await openStore(new SimulatedProcess({ root: left }));
  witness.found(next.list());
}

/** The old file is there whole, or it is kept beside the new one; which of them has its rights. */
function checkFiles(root: SimulatedFolder, beginning: Beginning): void {
  if (!hasOldFile(beginning)) return;
  const folder = at(root, dirname(PATH));
  const entries = folder instanceof SimulatedFolder ? folder.entries : new Map<string, DiskNode>();
  const contentOf = (name: string) => {
    const node = entries.get(name);
    return node instanceof SimulatedFile ? node.content : undefined;
  };
  const file = contentOf(basename(PATH));
  const backup = contentOf(`${basename(PATH)}.bak`);
  if (file?.mode !== OLD_MODE) throw new Error("the file has lost its rights");
  const isOld = file.bytes.equals(OLD_FILE);
  const isBackedUp = backup?.bytes.equals(OLD_FILE) === true;
  if (!isOld && !isBackedUp) throw new Error("the file of version 1 is lost");
  const formerBackup = beginning === "version 1, older backup" ? OLD_BACKUP : undefined;
  const isAsBefore =
    formerBackup === undefined ? backup === undefined : backup?.bytes.equals(formerBackup);
  if (!isBackedUp && !isAsBefore) throw new Error("the backup is neither the old one nor the new");
}

function at(root: SimulatedFolder, path: string): DiskNode | undefined {
  return path
    .split("/")
    .slice(1)
    .reduce<DiskNode | undefined>(
      (node, name) => (node instanceof SimulatedFolder ? node.entries.get(name) : undefined),
      root,
    );
}

function rootOf(beginning: Beginning): SimulatedFolder {
  if (beginning === "no folder") return folderOf({ srv: new SimulatedFolder() });
  const old = new SimulatedFile({ bytes: OLD_FILE, mode: OLD_MODE });
  const backup = new SimulatedFile({ bytes: OLD_BACKUP, mode: OLD_MODE });
  const data: Readonly<Record<string, DiskNode>> = {
    "no file": {},
    "version 1": { "todos.json": old },
    "version 1, older backup": { "todos.json": old, "todos.json.bak": backup },
  }[beginning];
  return folderOf({ srv: folderOf({ data: folderOf(data) }) });
}

function folderOf(entries: Readonly<Record<string, DiskNode>>): SimulatedFolder {
  return new SimulatedFolder(new Map(Object.entries(entries)));
}

function hasOldFile(beginning: Beginning): boolean {
  return beginning === "version 1" || beginning === "version 1, older backup";
}

function openStore(files: FileSystem): Promise<TodoStore> {
  return openTodoStore(PATH, { files, acquireLock: lockOfOneProcess, clock: stillClock });
}

async function submit(store: TodoStore, wanted: Try): Promise<Todo | undefined> {
  switch (wanted.kind) {
    case "create": {
      const { title, completed, key } = wanted;
      const idempotency = key === undefined ? undefined : keyOf(key);
      return (await store.create({ title, completed }, idempotency)).todo;
    }
    case "set":
      return store.change(wanted.id, { completed: wanted.completed });
    case "remove":
      await store.remove(wanted.id);
      return undefined;
  }
}

function keyOf(key: string): IdempotencyKey {
  return { key, fingerprint: "the same" };
}
