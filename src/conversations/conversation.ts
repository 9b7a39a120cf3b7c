/** An item of a conversation: plain data, immutable. What else it has is its dialect's to know. */
export interface KeptItem {
  readonly id: string;
}

/** A conversation, immutable: a change replaces it. Items are shared with conversations that took them over. */
export interface Conversation<Item extends KeptItem> {
  readonly id: string;
  /** The name of the API key that created it; empty: the server had no keys. */
  readonly owner: string;
  /** In milliseconds since 1970. */
  readonly createdAt: number;
  /** Of its items or its metadata, in milliseconds since 1970; no two changes of a store have the same. */
  readonly changedAt: number;
  readonly metadata: Readonly<Record<string, string>>;
  /** The earliest first. */
  readonly items: readonly Item[];
}

/** Which conversations of an owner are listed. */
export interface PageQuery {
  /** Number of conversations at most. */
  readonly limit: number;
  /** By their last change, ascending or descending. */
  readonly order: "asc" | "desc";
  /** The id of the conversation before the first one; absent: from the beginning. */
  readonly after?: string | undefined;
}

/** Some of an owner's conversations. */
export interface ConversationPage<Item extends KeptItem> {
  readonly conversations: readonly Conversation<Item>[];
  readonly hasMore: boolean;
}
