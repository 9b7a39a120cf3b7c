/**
 * Branches: whoever edits a question, or wants another answer, goes on in a conversation of its own that begins with
 * the same items. Its metadata say where it has left which one.
 */
import type { ConversationObject } from "../../api/responses/response-schema.js";

/** Where a branch leaves another conversation. */
export interface Fork {
  /** The id of the conversation that it has left. */
  readonly parent: string;
  /** The id of the last item that both have; empty: none. */
  readonly after: string;
}

/** Where a conversation has left another one; `undefined`: it is no branch. */
export function forkOf({ metadata }: Pick<ConversationObject, "metadata">): Fork | undefined {
  const { parent, fork } = metadata;
  return parent === undefined || fork === undefined ? undefined : { parent, after: fork };
}

/** The id of the conversation that all branches of one came from. */
export function rootOf({ id, metadata }: Pick<ConversationObject, "id" | "metadata">): string {
  return metadata.root ?? id;
}

/** The metadata of a branch. */
export function branchMetadata(
  from: ConversationObject,
  after: string,
): Readonly<Record<string, string>> {
  return { ...from.metadata, root: rootOf(from), parent: from.id, fork: after };
}

/** The conversations that go on differently behind an item. */
export interface Alternatives {
  /** Their ids, the earliest first. */
  readonly ids: readonly string[];
  /** Which of them is shown. */
  readonly shown: number;
}

/**
 * What there is behind an item beside what is shown.
 * @param after the item's id; empty: the beginning
 * @param open the id of the conversation that is shown
 * @param family all conversations of its root
 * @returns `undefined`: nothing else
 */
export function alternativesAfter(
  after: string,
  open: string,
  family: readonly ConversationObject[],
): Alternatives | undefined {
  const byId = new Map(family.map((conversation) => [conversation.id, conversation]));
  const line = lineOf(open, byId);
  const forks = family
    .filter((conversation) => forkOf(conversation)?.after === after)
    .toSorted((one, other) => one.created_at - other.created_at || (one.id < other.id ? -1 : 1));
  const [first] = forks;
  if (first === undefined) return undefined;
  const origin = originOf(first, after, byId);
  const ids = [...(origin === undefined ? [] : [origin]), ...forks.map(({ id }) => id)];
  const shown = ids.indexOf(line.find((id) => ids.includes(id)) ?? "");
  return ids.length < 2 || shown === -1 ? undefined : { ids, shown };
}

/** The ids of a conversation and of those that it came from, the nearest first. */
function lineOf(open: string, byId: ReadonlyMap<string, ConversationObject>): readonly string[] {
  const line: string[] = [];
  let next: string | undefined = open;
  while (next !== undefined && !line.includes(next)) {
    line.push(next);
    const conversation: ConversationObject | undefined = byId.get(next);
    next = conversation && forkOf(conversation)?.parent;
  }
  return line;
}

/** The conversation that went on behind an item first: the nearest one above that has not forked there itself. */
function originOf(
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

/** What the list of conversations shows of a family: the branch that was changed last. */
export function latestOfEach(
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
