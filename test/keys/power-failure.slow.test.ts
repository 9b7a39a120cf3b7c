import { expect, test } from "vitest";
import { printEntry } from "../../src/keys/key-journal.js";
import { type KeyStore, openKeyStore } from "../../src/keys/key-store.js";
import { disksAfterPowerFailure, snapshotOf } from "../support/power-failure.js";
import { randomChoice } from "../support/random-choice.js";
import {
  SimulatedFolder,
  SimulatedProcess,
  type Step,
  type StepOutcome,
} from "../support/simulated-disk.js";
import { actor, newKey, storedValue } from "./some-keys.js";

const PATH = "/data/below/keys.jsonl";

function open(root: SimulatedFolder, outcomeOfStep?: (step: Step) => StepOutcome) {
  return openKeyStore(PATH, {
    files: new SimulatedProcess({
      root,
      maxWriteBytes: 300,
      ...(outcomeOfStep && { outcomeOfStep }),
    }),
    acquireLock: async () => ({ confirm: async () => undefined, release: async () => undefined }),
    reserveSlackBytes: 100,
    hasConfiguredManager: () => true,
    onChange: () => undefined,
    clock: () => 1_700_000_000_000,
  });
}

const history: readonly ((store: KeyStore) => Promise<unknown>)[] = [
  (store) => store.create(newKey("alice"), actor),
  (store) => store.create(newKey("bob", { attributes: { scopes: "inference" } }), actor),
  (store) => store.rotate("alice", storedValue("new"), 60_000, actor),
  (store) => store.update("bob", { state: "disabled" }, actor),
  (store) => store.remove("alice", actor),
];

/** Keys and log of a store, as text. */
const described = ({ keys, log }: KeyStore) => JSON.stringify([keys, log.map(printEntry)]);

/** A moment, and the contents that a restart after it may find. */
interface CrashPoint {
  readonly root: SimulatedFolder;
  readonly acceptable: readonly string[];
}

/** Contents of a store after each change. */
async function contents(): Promise<readonly string[]> {
  const store = await open(new SimulatedFolder());
  const texts = [described(store)];
  for (const change of history) {
    await change(store);
    texts.push(described(store));
  }
  return texts;
}

/** @param outcomeOf returns the outcome of a step, by its number */
async function play(outcomeOf: (step: number) => StepOutcome) {
  const root = new SimulatedFolder();
  const states = await contents();
  const crashPoints: CrashPoint[] = [];
  let acceptable = states.slice(0, 1);
  let steps = 0;
  const observe = () => {
    crashPoints.push({ root: snapshotOf(root), acceptable });
    return outcomeOf(steps++);
  };
  let store = await open(root, observe);
  for (const [index, change] of history.entries()) {
    // The second process replaces the file, which the first one has appended to.
    if (index === 3) store = await open(root, observe);
    acceptable = states.slice(index, index + 2);
    await change(store);
    acceptable = states.slice(index + 1, index + 2);
  }
  crashPoints.push({ root: snapshotOf(root), acceptable });
  return { crashPoints, steps };
}

const done: StepOutcome = { kind: "done" };

test("a power failure at any moment preserves every acknowledged change with its log", async () => {
  const { crashPoints } = await play(() => done);
  let disks = 0;
  for (const { root, acceptable } of crashPoints) {
    for (const disk of disksAfterPowerFailure(root, { maxDisks: 8, random: randomChoice(disks) })) {
      disks++;
      const store = await open(disk);
      expect(acceptable).toContain(described(store));
      await store.create(newKey("new"), actor);
      expect(described(await open(disk))).toBe(described(store));
    }
  }
  expect(disks).toBeGreaterThan(crashPoints.length);
});

test.each(["nothing", "half", "all"] as const)(
  "a power failure after a failed disk operation preserves every acknowledged change: %s is done",
  async (part) => {
    const { steps } = await play(() => done);
    for (let failing = 0; failing < steps; failing++) {
      const failure: StepOutcome = { kind: "failed", code: "EIO", done: part };
      const root = new SimulatedFolder();
      let step = 0;
      const store = await open(root, () => (step++ === failing ? failure : done)).catch(
        // A daemon that cannot read its file does not start.
        () => undefined,
      );
      if (store === undefined) continue;
      for (const change of history) await change(store).catch(() => undefined);
      // Replaces the file if the last change has failed.
      const last = store.create(newKey("new"), actor);
      await last.catch(() => store.create(newKey("new"), actor));
      for (const disk of disksAfterPowerFailure(root, {
        maxDisks: 4,
        random: randomChoice(step),
      })) {
        expect(described(await open(disk))).toBe(described(store));
      }
    }
  },
);
