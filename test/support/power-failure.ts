import {
  type Content,
  contentAfter,
  type DiskNode,
  type Entries,
  entriesAfter,
  type FileChange,
  SimulatedFile,
  SimulatedFolder,
} from "./simulated-disk.js";

/**
 * Which of a folder's changes a power failure may lose: only the last ones, as with a journalling
 * file system, or any of them.
 */
export type FolderOrder = "journalled" | "any";

/** Chooses one of several possibilities: an integer from 0 to below their number. */
export type Choose = (possibilities: number) => number;

/**
 * One of the disks that a power failure may leave. If 0 is always chosen, only synced state is
 * left.
 */
export function afterPowerFailure(
  folder: SimulatedFolder,
  order: FolderOrder,
  choose: Choose,
): SimulatedFolder {
  const entries = [...keptEntries(folder, order, choose)].map(
    ([name, node]): [string, DiskNode] => [
      name,
      node instanceof SimulatedFolder
        ? afterPowerFailure(node, order, choose)
        : new SimulatedFile(keptContent(node, choose)),
    ],
  );
  return new SimulatedFolder(new Map(entries));
}

/** An immutable copy. */
export function snapshotOf(root: SimulatedFolder): SimulatedFolder {
  return copyOfFolder(root, new Map());
}

/** Preserves identity: a file with several entries is one file in the copy, too. */
function copyOf(node: DiskNode, copies: Map<DiskNode, DiskNode>): DiskNode {
  const copy =
    copies.get(node) ??
    (node instanceof SimulatedFile
      ? new SimulatedFile(node.synced, node.changes)
      : copyOfFolder(node, copies));
  copies.set(node, copy);
  return copy;
}

function copyOfFolder(
  { synced, changes }: SimulatedFolder,
  copies: Map<DiskNode, DiskNode>,
): SimulatedFolder {
  return new SimulatedFolder(
    new Map([...synced].map(([name, node]) => [name, copyOf(node, copies)])),
    changes.map((change) =>
      change.kind === "drop" ? change : { ...change, node: copyOf(change.node, copies) },
    ),
  );
}

/** The content of a disk as text, to compare disks. */
export function describeDisk(folder: SimulatedFolder): string {
  const entries = [...folder.entries].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(
    entries.map(([name, node]) => [
      name,
      node instanceof SimulatedFolder
        ? describeDisk(node)
        : [node.content.mode, node.content.bytes.toString("latin1")],
    ]),
  );
}

export interface Exploration {
  /** Maximum number of disks; if there are more, they are sampled. */
  readonly maxDisks: number;
  readonly random: Choose;
}

/**
 * The distinct disks that a power failure may leave: all of them, or, if there are too many, the
 * first ones and a random sample.
 */
export function* disksAfterPowerFailure(
  root: SimulatedFolder,
  { maxDisks, random }: Exploration,
): Generator<SimulatedFolder, void> {
  const seen = new Set<string>();
  for (const order of ["journalled", "any"] as const) {
    for (const choose of choices({ maxDisks: maxDisks / 2, random })) {
      const disk = afterPowerFailure(root, order, choose);
      const description = describeDisk(disk);
      if (seen.has(description)) continue;
      seen.add(description);
      yield disk;
    }
  }
}

interface Decision {
  chosen: number;
  readonly possibilities: number;
}

/** Every sequence of decisions in order for the first half of the maximum, then random ones. */
function* choices({ maxDisks, random }: Exploration): Generator<Choose, void> {
  let decisions: Decision[] = [];
  for (let count = 0; count < maxDisks / 2; count += 1) {
    let index = 0;
    yield (possibilities) => {
      const decision = decisions[index] ?? { chosen: 0, possibilities };
      decisions[index] = decision;
      index += 1;
      return decision.chosen;
    };
    while (decisions.at(-1)?.chosen === (decisions.at(-1)?.possibilities ?? 0) - 1) {
      decisions = decisions.slice(0, -1);
    }
    const last = decisions.at(-1);
    if (last === undefined) return;
    last.chosen += 1;
  }
  for (let count = 0; count < maxDisks / 2; count += 1) yield random;
}

function keptEntries(folder: SimulatedFolder, order: FolderOrder, choose: Choose): Entries {
  const { synced, changes } = folder;
  const kept =
    order === "journalled"
      ? changes.slice(0, choose(changes.length + 1))
      : changes.filter(() => choose(2) === 1);
  return kept.reduce(entriesAfter, synced);
}

/** A prefix of the changes, of which the last may be partial. */
function keptContent({ synced, changes }: SimulatedFile, choose: Choose): Content {
  const count = choose(changes.length + 1);
  const kept = changes.slice(0, count);
  const last = kept.pop();
  const whole = kept.reduce(contentAfter, synced);
  if (last === undefined) return whole;
  const versions = partsOf(last);
  return contentAfter(whole, versions[choose(versions.length)] ?? last);
}

/** The possible remains of a change. A write: all, a prefix, or all with one part zeroed. */
function partsOf(change: FileChange): readonly FileChange[] {
  if (change.kind !== "write") return [change];
  const { at, bytes } = change;
  const part = (kept: Buffer): FileChange => ({ kind: "write", at, bytes: kept });
  const third = Math.floor(bytes.length / 3);
  const zeros = (from: number, to: number) => Buffer.from(bytes).fill(0, from, to);
  return [
    change,
    part(bytes.subarray(0, third)),
    part(bytes.subarray(0, bytes.length - 1)),
    part(zeros(0, third)),
    part(zeros(third, 2 * third)),
    part(zeros(2 * third, bytes.length)),
  ];
}
