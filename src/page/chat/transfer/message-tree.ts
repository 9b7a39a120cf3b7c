import type { ImportedBranch, ImportedItem } from "./imported.js";

/** A message of a tree, whose paths are the branches of a conversation. */
export interface TreeNode {
  readonly id: string;
  /** Ids of the following messages, oldest first. */
  readonly children: readonly string[];
  /** Absent from the branches if there are none. */
  readonly items: readonly ImportedItem[];
}

/**
 * Lists the branches of a tree of messages.
 * @param current id of the message at the end of the shown branch, which becomes the last one
 */
export function listBranches(
  nodes: readonly TreeNode[],
  current: string | undefined,
): readonly ImportedBranch[] {
  const paths = dropPrefixes(listPaths(nodes)).filter(({ items }) => items.length > 0);
  const shown = paths.find(({ ids }) => current !== undefined && ids.has(current)) ?? paths.at(-1);
  const others = paths.filter((path) => path !== shown);
  return [...others, ...(shown === undefined ? [] : [shown])].map(({ items }) => ({ items }));
}

interface Path {
  /** Ids of the messages, including those without items. */
  readonly ids: ReadonlySet<string>;
  readonly items: readonly ImportedItem[];
}

/** Lists the paths from the roots to the leaves. A cycle ends at the first repeated message. */
function listPaths(nodes: readonly TreeNode[]): readonly Path[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const allChildren = new Set(nodes.flatMap(({ children }) => children));
  const parents = new Map<TreeNode, TreeNode | undefined>();
  const paths: Path[] = [];
  const pending: TreeNode[] = [];
  const visit = (node: TreeNode, parent: TreeNode | undefined) => {
    if (parents.has(node)) return false;
    parents.set(node, parent);
    pending.push(node);
    return true;
  };
  for (const node of nodes.toReversed()) if (!allChildren.has(node.id)) visit(node, undefined);
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    let hasChildren = false;
    for (const id of node.children.toReversed()) {
      const child = byId.get(id);
      if (child !== undefined && visit(child, node)) hasChildren = true;
    }
    if (!hasChildren) paths.push(toPath(node, parents));
  }
  return paths;
}

function toPath(leaf: TreeNode, parents: ReadonlyMap<TreeNode, TreeNode | undefined>): Path {
  const nodes: TreeNode[] = [];
  for (let node: TreeNode | undefined = leaf; node !== undefined; node = parents.get(node)) {
    nodes.push(node);
  }
  nodes.reverse();
  return { ids: new Set(nodes.map(({ id }) => id)), items: nodes.flatMap(({ items }) => items) };
}

/** Drops paths that are the beginning of another one, because their further messages have no items. */
function dropPrefixes(paths: readonly Path[]): readonly Path[] {
  const byLastItem = new Map<ImportedItem | undefined, Path>();
  for (const path of paths) {
    const { items } = path;
    const same = byLastItem.get(items.at(-1));
    byLastItem.set(items.at(-1), same === undefined ? path : merge(same, path));
  }
  const kept = new Map([...byLastItem.values()].map((path) => [path, path]));
  for (const path of byLastItem.values()) {
    for (const item of path.items.slice(0, -1)) {
      const prefix = byLastItem.get(item);
      const keptPrefix = prefix && kept.get(prefix);
      if (prefix === undefined || keptPrefix === undefined) continue;
      kept.delete(prefix);
      kept.set(path, merge(kept.get(path) ?? path, keptPrefix));
    }
  }
  return [...kept.values()];
}

/** Returns a path that also has the ids of another one. */
function merge({ ids, items }: Path, other: Path): Path {
  return { items, ids: new Set([...ids, ...other.ids]) };
}
