import type { Conversation } from "../../src/conversations/conversation.js";
import type {
  ConversationStore,
  ConversationStoreOptions,
} from "../../src/conversations/conversation-store.js";

/** An item of tests. */
export interface Note {
  readonly id: string;
  readonly text: string;
}

export const note = (id: string, text = id): Note => ({ id, text });

export const isNote = (value: unknown): value is Note =>
  typeof value === "object" && value !== null && "id" in value && "text" in value;

export function parseNote(value: unknown): Note {
  if (isNote(value)) return value;
  throw new Error("value: expected a note");
}

type Store = ConversationStore<Note>;

/** Begins a conversation. */
export function create(
  store: Store,
  id: string,
  { owner = "", metadata = {}, items = [] }: Partial<Conversation<Note>> = {},
): Promise<Conversation<Note>> {
  return store.change((draft) => draft.create({ id, owner, metadata, items }));
}

/** Changes a conversation that is there. */
export function change(
  store: Store,
  id: string,
  by: (before: Conversation<Note>) => Partial<Pick<Conversation<Note>, "metadata" | "items">>,
): Promise<Conversation<Note>> {
  return store.change((draft) => {
    const before = draft.find("", id);
    if (before === undefined) throw new Error(`there is no ${id}`);
    return draft.replace(before, by(before));
  });
}

export function add(store: Store, id: string, ...notes: readonly Note[]) {
  return change(store, id, ({ items }) => ({ items: [...items, ...notes] }));
}

export function remove(store: Store, id: string): Promise<void> {
  return store.change((draft) => draft.remove(id));
}

/** An owner's content of a store, the last changed first. */
export function contentOf(store: Store, owner = "") {
  const page = store.readPage(owner, { limit: 1_000, order: "desc" });
  return (page?.conversations ?? []).map(({ id, metadata, items }) => ({
    id,
    metadata,
    texts: items.map(({ text }) => text),
  }));
}

export const roomy: ConversationStoreOptions<Note>["limits"] = {
  entries: 100,
  items: 10_000,
  bytes: 1_000_000,
  idleMs: Number.POSITIVE_INFINITY,
};
