import { basename, dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { GgufdError } from "../../../src/core/errors.js";
import type { FileSystem } from "../../../src/files/file-system.js";
import type { IdempotencyKey, Todo } from "../../../src/todos/todo.js";
import { openTodoStore, type TodoStore } from "../../../src/todos/todo-store.js";
import { afterPowerFailure, snapshotOf } from "../../support/power-failure.js";
import {
  type DiskNode,
  MODIFIED_AT,
  SimulatedFile,
  SimulatedFolder,
  SimulatedProcess,
  type Step,
  type StepOutcome,
} from "../../support/simulated-disk.js";
import { type AttemptedChange, DurabilityChecker } from "./durability-checker.js";

const PATH = "/srv/data/todos.json";
const NOW = Date.parse("2026-01-02T00:00:00.000Z");

/** Maximum number of bytes per write: a file needs several, so that crashes fall between them. */
const MAX_WRITE_BYTES = 600;

const stillClock = () => NOW;
const lockOfOneProcess = () =>
  Promise.resolve({ confirm: () => Promise.resolve(), release: () => Promise.resolve() });

/** The initial state of the disk. */
export type InitialDisk = "no folder" | "no file" | "version 1" | "version 1, older backup";

type PlannedChange =
  | { readonly kind: "create"; readonly completed: boolean; readonly hasKey: boolean }
  | { readonly kind: "set"; readonly pick: number; readonly completed: boolean }
  | { readonly kind: "remove"; readonly pick: number };

/** The outcome of one step of a phase, counted from the start of the phase. */
interface InjectedFault {
  readonly step: number;
  readonly outcome: StepOutcome;
}

/** Changes that are submitted concurrently, the faults during them, and the next event. */
export interface Phase {
  readonly changes: readonly PlannedChange[];
  readonly faults: readonly InjectedFault[];
  readonly end: "continue" | "restart";
}

export interface History {
  readonly initialDisk: InitialDisk;
  readonly phases: readonly Phase[];
}

const pick = fc.nat({ max: 1000 });
const plannedChange: fc.Arbitrary<PlannedChange> = fc.oneof(
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

const outcome: fc.Arbitrary<StepOutcome> = fc.oneof(
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

/** A group takes a few dozen steps; the first one takes most, when its folders are missing. */
const fault = fc.record({ step: fc.nat({ max: 45 }), outcome });

const phase: fc.Arbitrary<Phase> = fc.record({
  changes: fc.array(plannedChange, { minLength: 1, maxLength: 5 }),
  faults: fc.array(fault, { maxLength: 2 }),
  end: fc.constantFrom("continue" as const, "continue" as const, "restart" as const),
});

export const history: fc.Arbitrary<History> = fc.record({
  initialDisk: fc.constantFrom<InitialDisk>(
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

/** A moment of a history: the disk, and what the store has acknowledged so far. */
export interface CrashPoint {
  readonly initialDisk: InitialDisk;
  readonly root: SimulatedFolder;
  readonly checker: DurabilityChecker;
}

const readOnlyOperations = new Set<Step["operation"]>([
  "readFile",
  "realpath",
  "readlink",
  "stat",
  "close",
]);

/** Wraps the file system that the store uses. */
export type WrapFiles = (files: FileSystem) => FileSystem;

/** Runs a history, and returns a crash point for every moment after a change of state. */
export async function crashPointsOf(
  { initialDisk, phases }: History,
  wrap: WrapFiles,
): Promise<readonly CrashPoint[]> {
  const run = new HistoryRun(initialDisk, wrap);
  await run.run(phases);
  return run.crashPoints;
}

class HistoryRun {
  readonly crashPoints: CrashPoint[] = [];
  readonly #initialDisk: InitialDisk;
  readonly #wrap: WrapFiles;
  readonly #root: SimulatedFolder;
  readonly #checker: DurabilityChecker;
  #faults: readonly InjectedFault[] = [];
  #stepCount = 0;
  #nameCount = 0;
  /** Whether the state has changed since the last crash point. */
  #isChanged = true;
  #onKilled: () => void = () => undefined;

  constructor(initialDisk: InitialDisk, wrap: WrapFiles) {
    this.#initialDisk = initialDisk;
    this.#wrap = wrap;
    this.#root = rootOf(initialDisk);
    this.#checker = new DurabilityChecker(hasOldFile(initialDisk) ? oldTodos : []);
  }

  async run(phases: readonly Phase[]): Promise<void> {
    let store = await this.#start();
    for (const phase of phases) store = await this.#runPhase(store, phase);
  }

  async #start(): Promise<TodoStore> {
    const files = new SimulatedProcess({
      root: this.#root,
      outcomeOfStep: (step) => this.#outcomeOfStep(step),
      maxWriteBytes: MAX_WRITE_BYTES,
    });
    const store = await openStore(this.#wrap(files));
    this.#checker.recovered(store.list());
    this.#isChanged = true;
    this.#addCrashPoint();
    return store;
  }

  /** @returns the store that is open at the end */
  async #runPhase(store: TodoStore, { changes, faults, end }: Phase): Promise<TodoStore> {
    this.#stepCount = 0;
    this.#faults = faults;
    const killed = new Promise<"killed">((resolve) => {
      this.#onKilled = () => resolve("killed");
    });
    const settled = Promise.all(this.#bind(changes).map((change) => this.#submit(store, change)));
    const outcome = await Promise.race([settled, killed]);
    this.#faults = [];
    this.#addCrashPoint();
    if (outcome !== "killed") {
      if (end === "continue") return store;
      await store.close();
    }
    return this.#start();
  }

  /**
   * Binds changes to items, each item at most once per phase, so that its final state is
   * unambiguous.
   */
  #bind(changes: readonly PlannedChange[]): readonly AttemptedChange[] {
    const unused = [...this.#checker.settled];
    return changes.flatMap((change): AttemptedChange[] => {
      if (change.kind === "create") {
        this.#nameCount += 1;
        const key = change.hasKey ? `key ${this.#nameCount}` : undefined;
        const title = `item ${this.#nameCount}`;
        return [{ kind: "create", title, completed: change.completed, key }];
      }
      const [todo] = unused.splice(change.pick % Math.max(1, unused.length), 1);
      if (todo === undefined) return [];
      const { id } = todo;
      return change.kind === "set"
        ? [{ kind: "set", id, completed: change.completed }]
        : [{ kind: "remove", id }];
    });
  }

  async #submit(store: TodoStore, change: AttemptedChange): Promise<void> {
    const token = this.#checker.submitted(change);
    try {
      this.#checker.acknowledged(token, await submit(store, change));
    } catch (error) {
      if (!(error instanceof GgufdError)) throw error;
      this.#checker.rejected(token);
    }
    this.#isChanged = true;
  }

  #outcomeOfStep({ operation }: Step): StepOutcome {
    this.#addCrashPoint();
    this.#isChanged ||= !readOnlyOperations.has(operation);
    const step = this.#stepCount;
    this.#stepCount += 1;
    const fault = this.#faults.find((injected) => injected.step === step);
    const outcome = fault?.outcome ?? { kind: "done" };
    if (outcome.kind === "killed") this.#onKilled();
    return outcome;
  }

  #addCrashPoint(): void {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    const root = snapshotOf(this.#root);
    const checker = this.#checker.clone();
    this.crashPoints.push({ initialDisk: this.#initialDisk, root, checker });
  }
}

/**
 * Starts a store on a disk left by a power failure, and checks that it has every acknowledged
 * change and works.
 * @throws {Error} for any violation
 */
export async function checkRestart(
  root: SimulatedFolder,
  crashPoint: CrashPoint,
  wrap: WrapFiles,
): Promise<void> {
  checkFiles(root, crashPoint.initialDisk);
  const checker = crashPoint.checker.clone();
  const store = await openStore(wrap(new SimulatedProcess({ root })));
  checker.recovered(store.list());
  for (const [key, answer] of checker.answersByKey) {
    const { todo, origin } = await store.create({ title: "another", completed: true }, keyOf(key));
    if (origin !== "replayed" || !isDeepStrictEqual(todo, answer)) {
      throw new Error(`${key} was acknowledged and does not replay its answer`);
    }
  }
  const change: AttemptedChange = {
    kind: "create",
    title: "afterwards",
    completed: false,
    key: undefined,
  };
  const token = checker.submitted(change);
  checker.acknowledged(token, await submit(store, change));
  await store.close();
  const remainingDisk = afterPowerFailure(root, "journalled", () => 0);
  const next = await openStore(new SimulatedProcess({ root: remainingDisk }));
  checker.recovered(next.list());
}

/** The old file is intact, or is backed up next to the new one; the file keeps its permissions. */
function checkFiles(root: SimulatedFolder, initialDisk: InitialDisk): void {
  if (!hasOldFile(initialDisk)) return;
  const folder = at(root, dirname(PATH));
  const entries = folder instanceof SimulatedFolder ? folder.entries : new Map<string, DiskNode>();
  const contentOf = (name: string) => {
    const node = entries.get(name);
    return node instanceof SimulatedFile ? node.content : undefined;
  };
  const file = contentOf(basename(PATH));
  const backup = contentOf(`${basename(PATH)}.bak`);
  if (file?.mode !== OLD_MODE) throw new Error("the file has lost its permissions");
  const isOld = file.bytes.equals(OLD_FILE);
  const isBackedUp = backup?.bytes.equals(OLD_FILE) === true;
  if (!isOld && !isBackedUp) throw new Error("the file of version 1 is lost");
  const earlierBackup = initialDisk === "version 1, older backup" ? OLD_BACKUP : undefined;
  const isUnmodified =
    earlierBackup === undefined ? backup === undefined : backup?.bytes.equals(earlierBackup);
  if (!isBackedUp && !isUnmodified)
    throw new Error("the backup is neither the old one nor the new");
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

function rootOf(initialDisk: InitialDisk): SimulatedFolder {
  if (initialDisk === "no folder") return folderOf({ srv: new SimulatedFolder() });
  const old = new SimulatedFile({ bytes: OLD_FILE, mode: OLD_MODE });
  const backup = new SimulatedFile({ bytes: OLD_BACKUP, mode: OLD_MODE });
  const data: Readonly<Record<string, DiskNode>> = {
    "no file": {},
    "version 1": { "todos.json": old },
    "version 1, older backup": { "todos.json": old, "todos.json.bak": backup },
  }[initialDisk];
  return folderOf({ srv: folderOf({ data: folderOf(data) }) });
}

function folderOf(entries: Readonly<Record<string, DiskNode>>): SimulatedFolder {
  return new SimulatedFolder(new Map(Object.entries(entries)));
}

function hasOldFile(initialDisk: InitialDisk): boolean {
  return initialDisk === "version 1" || initialDisk === "version 1, older backup";
}

function openStore(files: FileSystem): Promise<TodoStore> {
  return openTodoStore(PATH, {
    files,
    acquireLock: lockOfOneProcess,
    clock: stillClock,
    reserveSlackBytes: 256,
  });
}

async function submit(store: TodoStore, change: AttemptedChange): Promise<Todo | undefined> {
  switch (change.kind) {
    case "create": {
      const { title, completed, key } = change;
      const idempotency = key === undefined ? undefined : keyOf(key);
      return (await store.create({ title, completed }, idempotency)).todo;
    }
    case "set":
      return store.change(change.id, { completed: change.completed });
    case "remove":
      await store.remove(change.id);
      return undefined;
  }
}

function keyOf(key: string): IdempotencyKey {
  return { key, fingerprint: "the same" };
}
