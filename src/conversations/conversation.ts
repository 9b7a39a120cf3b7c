/** An item of a conversation: immutable plain data. Its other fields depend on the API dialect. */
export interface StoredItem {
  readonly id: string;
}

/** A conversation. Immutable: a change replaces it. Items may be shared between conversations. */
export interface Conversation<Item extends StoredItem> {
  readonly id: string;
  /** Name of the API key that created the conversation; empty: the server had no keys. */
  readonly owner: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /**
   * Last change of items or metadata, in milliseconds since 1970; unique among the changes of a
   * store.
   */
  readonly changedAt: number;
  readonly metadata: Readonly<Record<string, string>>;
  /** Oldest first. */
  readonly items: readonly Item[];
}

/** Selects a page of an owner's conversations. */
export interface PageQuery {
  /** Maximum number of conversations. */
  readonly limit: number;
  /** Ascending or descending order of the last change. */
  readonly order: "asc" | "desc";
  /** Id of the conversation that precedes the page; absent: the page starts at the beginning. */
  readonly after?: string | undefined;
}

/** A page of an owner's conversations. */
export interface ConversationPage<Item extends StoredItem> {
  readonly conversations: readonly Conversation<Item>[];
  readonly hasMore: boolean;
}
