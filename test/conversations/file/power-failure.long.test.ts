import { expect, test } from "vitest";
import { ConversationStore } from "../../../src/conversations/conversation-store.js";
import { openConversations } from "../../../src/conversations/open-conversations.js";
import { disksAfterPowerFailure, snapshotOf } from "../../support/power-failure.js";
import { randomChoice } from "../../support/random-choice.js";
import {
  SimulatedFolder,
  SimulatedProcess,
  type Step,
  type StepOutcome,
} from "../../support/simulated-disk.js";
import {
  add,
  change,
  contentOf,
  create,
  type Note,
  note,
  parseNote,
  remove,
  roomy,
} from "../some-conversations.js";

const PATH = "/data/below/conversations.jsonl";

type Store = ConversationStore<Note>;
type Outcome = (step: Step) => StepOutcome;

function open(root: SimulatedFolder, outcomeOfStep?: Outcome): Promise<Store> {
  return openConversations(PATH, {
    files: new SimulatedProcess({
      root,
      maxWriteBytes: 120,
      ...(outcomeOfStep && { outcomeOfStep }),
    }),
    acquireLock: async () => ({ confirm: async () => undefined, release: async () => undefined }),
    parseItem: parseNote,
    slackBytes: 100,
    reserveSlackBytes: 100,
  });
}

/** Successive groups of changes; the changes of a group are submitted together. */
const history: readonly (readonly ((store: Store) => Promise<unknown>)[])[] = [
  [(store) => create(store, "a", { items: [note("1")], metadata: { title: "A" } })],
  [(store) => add(store, "a", note("2", "x".repeat(150))), (store) => create(store, "b")],
  [(store) => create(store, "c", { items: store.find("", "a")?.items ?? [] })],
  [(store) => change(store, "a", () => ({ metadata: { title: "changed" } }))],
  [(store) => remove(store, "a")],
  [(store) => remove(store, "c"), (store) => add(store, "b", note("3", "y".repeat(100)))],
  [(store) => change(store, "b", ({ items }) => ({ items: items.slice(1) }))],
  [(store) => add(store, "b", note("4"))],
];

/** Content of a store, as text. */
const described = (store: Store) => JSON.stringify(contentOf(store));

/** Contents that may be restored after a power failure at a given moment. */
interface CrashPoint {
  readonly root: SimulatedFolder;
  readonly acceptable: readonly string[];
}

interface Played {
  readonly crashPoints: readonly CrashPoint[];
  readonly steps: number;
  readonly acknowledged: number;
}

/**
 * Applies all changes in one process, or in two processes with a restart in between.
 * @param outcomeOf returns the outcome of a step, by its number
 */
async function play(outcomeOf: (step: number) => StepOutcome): Promise<Played> {
  const root = new SimulatedFolder();
  const crashPoints: CrashPoint[] = [];
  let acceptable: readonly string[] = ["[]"];
  let steps = 0;
  let acknowledged = 0;
  const observe = () => {
    crashPoints.push({ root: snapshotOf(root), acceptable });
    return outcomeOf(steps++);
  };
  let store = await open(root, observe);
  for (const [index, together] of history.entries()) {
    if (index === history.length / 2) store = await open(root, observe);
    const before = described(store);
    acceptable = [...acceptable, ...(await statesOf(before, store, together))];
    const settled = await Promise.allSettled(together.map((submit) => submit(store)));
    acknowledged += settled.filter(({ status }) => status === "fulfilled").length;
    const isAllDone = settled.every(({ status }) => status === "fulfilled");
    acceptable = isAllDone ? [described(store)] : [...acceptable, described(store)];
  }
  crashPoints.push({ root: snapshotOf(root), acceptable });
  return { crashPoints, steps, acknowledged };
}

/** All states that the changes may result in, computed in memory: each change is applied or not. */
async function statesOf(
  before: string,
  store: Store,
  changes: readonly ((store: Store) => Promise<unknown>)[],
): Promise<readonly string[]> {
  const states = [before];
  for (let made = 1; made < 2 ** changes.length; made++) {
    const copy = await copyOf(store);
    for (const [index, submit] of changes.entries()) {
      if ((made & (2 ** index)) !== 0) await submit(copy).catch(() => undefined);
    }
    states.push(described(copy));
  }
  return states;
}

async function copyOf(store: Store): Promise<Store> {
  const copy = new ConversationStore<Note>({ limits: roomy });
  const page = store.readPage("", { limit: 100, order: "asc" });
  for (const { id, metadata, items } of page?.conversations ?? []) {
    await create(copy, id, { metadata, items });
  }
  return copy;
}

async function expectRecovery({ root, acceptable }: CrashPoint, maxDisks: number): Promise<number> {
  let disks = 0;
  for (const disk of disksAfterPowerFailure(root, { maxDisks, random: randomChoice(disks) })) {
    disks++;
    const store = await open(disk);
    const found = described(store);
    expect(acceptable).toContain(found);
    await create(store, "new", { items: [note("5")] });
    expect(contentOf(await open(disk))[0]).toEqual({ id: "new", metadata: {}, texts: ["5"] });
  }
  return disks;
}

/** Steps that open the file, before the first change. */
const FIRST_WRITE = 3;

const done: StepOutcome = { kind: "done" };

test("a power failure at any moment preserves every acknowledged change", async () => {
  const { crashPoints, acknowledged } = await play(() => done);
  expect(acknowledged).toBe(history.flat().length);
  let disks = 0;
  for (const crashPoint of crashPoints) disks += await expectRecovery(crashPoint, 12);
  expect(disks).toBeGreaterThan(crashPoints.length);
});

test.each<StepOutcome>([
  { kind: "failed", code: "EIO", done: "nothing" },
  { kind: "failed", code: "EIO", done: "half" },
  { kind: "failed", code: "EIO", done: "all" },
  { kind: "failed", code: "ENOSPC", done: "half" },
])(
  "a power failure after a failed disk operation preserves every acknowledged change: %j",
  async (failure) => {
    const { steps } = await play(() => done);
    for (let failing = FIRST_WRITE; failing < steps; failing += 2) {
      const { crashPoints } = await play((step) => (step === failing ? failure : done)).catch(
        // A daemon that cannot read its file does not start.
        () => ({ crashPoints: [] }),
      );
      // Steps before the failure are unaffected.
      for (const crashPoint of crashPoints.slice(failing, failing + 4)) {
        await expectRecovery(crashPoint, 3);
      }
      const last = crashPoints.at(-1);
      if (last !== undefined) await expectRecovery(last, 4);
    }
  },
);
