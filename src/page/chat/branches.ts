/**
 * Branches: editing a question, or regenerating an answer, continues in a separate conversation
 * that begins with the same items. Its metadata record where it forked from which conversation.
 */
import type { ConversationObject } from "../../api/responses/response-schema.js";

/** The point where a branch leaves another conversation. */
export interface Fork {
  /** Id of the conversation that the branch left. */
  readonly parent: string;
  /** Id of the last shared item; empty: none. */
  readonly after: string;
}

/** Returns where a conversation was forked; `undefined`: it is not a branch. */
export function forkOf({ metadata }: Pick<ConversationObject, "metadata">): Fork | undefined {
  const { parent, fork } = metadata;
  return parent === undefined || fork === undefined ? undefined : { parent, after: fork };
}

/** Returns the id of the conversation that a family of branches originates from. */
export function rootOf({ id, metadata }: Pick<ConversationObject, "id" | "metadata">): string {
  return metadata.root ?? id;
}

/** Builds the metadata of a branch. */
export function buildBranchMetadata(
  from: Pick<ConversationObject, "id" | "metadata">,
  after: string,
): Readonly<Record<string, string>> {
  return { ...from.metadata, root: rootOf(from), parent: from.id, fork: after };
}

/** Conversations that continue differently after an item. */
export interface Alternatives {
  /** Ids of the conversations, oldest first. */
  readonly ids: readonly string[];
  /** Index of the conversation that is shown. */
  readonly shown: number;
}

/**
 * Finds the alternatives to the shown continuation after an item.
 * @param after id of the item; empty: the beginning
 * @param open id of the shown conversation
 * @param family all conversations with the same root
 * @returns `undefined` if there are none
 */
export function findAlternatives(
  after: string,
  open: string,
  family: readonly ConversationObject[],
): Alternatives | undefined {
  const byId = new Map(family.map((conversation) => [conversation.id, conversation]));
  const ancestry = collectAncestry(open, byId);
  const forks = family
    .filter((conversation) => forkOf(conversation)?.after === after)
    .toSorted((one, other) => one.created_at - other.created_at || (one.id < other.id ? -1 : 1));
  const [first] = forks;
  if (first === undefined) return undefined;
  const origin = findOrigin(first, after, byId);
  const ids = [...(origin === undefined ? [] : [origin]), ...forks.map(({ id }) => id)];
  const shown = ids.indexOf(ancestry.find((id) => ids.includes(id)) ?? "");
  return ids.length < 2 || shown === -1 ? undefined : { ids, shown };
}

/** Returns the ids of a conversation and its ancestors, nearest first. */
function collectAncestry(
  open: string,
  byId: ReadonlyMap<string, ConversationObject>,
): readonly string[] {
  const lineage: string[] = [];
  let next: string | undefined = open;
  while (next !== undefined && !lineage.includes(next)) {
    lineage.push(next);
    const conversation: ConversationObject | undefined = byId.get(next);
    next = conversation && forkOf(conversation)?.parent;
  }
  return lineage;
}

/**
 * Finds the conversation that first continued after an item: the nearest ancestor that was not
 * itself forked there.
 */
function findOrigin(
  first: ConversationObject,
  after: string,
  byId: ReadonlyMap<string, ConversationObject>,
): string | undefined {
  let parent = forkOf(first)?.parent;
  const seen = new Set<string>();
  while (parent !== undefined && !seen.has(parent)) {
    seen.add(parent);
    const conversation = byId.get(parent);
    if (conversation === undefined) return undefined;
    const fork = forkOf(conversation);
    if (fork?.after !== after) return parent;
    parent = fork.parent;
  }
  return undefined;
}

/** Selects the conversation to list for each family: the most recently changed branch. */
export function selectLatestBranches(
  conversations: readonly ConversationObject[],
): readonly ConversationObject[] {
  const latest = new Map<string, ConversationObject>();
  for (const conversation of conversations) {
    const root = rootOf(conversation);
    const known = latest.get(root);
    if (known === undefined || conversation.updated_at > known.updated_at) {
      latest.set(root, conversation);
    }
  }
  return [...latest.values()].toSorted((one, other) => other.updated_at - one.updated_at);
}
