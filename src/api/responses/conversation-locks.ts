import { GgufdError, shortenedName } from "../../core/errors.js";

/**
 * The conversations that a response is open for, from its request to the moment at which its items are kept. Nothing
 * else is added to a conversation meanwhile, so that a question and its answer stay together.
 */
export class ConversationLocks {
  /** By conversation: the id of its open response. */
  readonly #open = new Map<string, string>();
  /** By conversation: changes of its items that are not durable yet. */
  readonly #changes = new Map<string, Set<Promise<unknown>>>();

  /** The id of the response that is open for a conversation. */
  openIn(conversationId: string): string | undefined {
    return this.#open.get(conversationId);
  }

  /**
   * Locks a conversation for a response.
   * @returns unlocks it; may be called more than once
   * @throws {GgufdError} `conversation_locked`
   */
  lock(conversationId: string, responseId: string): () => void {
    this.expectUnlocked(conversationId);
    this.#open.set(conversationId, responseId);
    return () => {
      if (this.#open.get(conversationId) === responseId) this.#open.delete(conversationId);
    };
  }

  /** @throws {GgufdError} `conversation_locked` */
  expectUnlocked(conversationId: string): void {
    const open = this.#open.get(conversationId);
    if (open !== undefined) throw conversationLocked(conversationId, open);
  }

  /** Makes a change of a conversation's items, which a response that is opened meanwhile waits for. */
  async change<Result>(conversationId: string, change: () => Promise<Result>): Promise<Result> {
    const changes = this.#changes.get(conversationId) ?? new Set();
    this.#changes.set(conversationId, changes);
    const changed = change();
    changes.add(changed);
    try {
      return await changed;
    } finally {
      changes.delete(changed);
      if (changes.size === 0) this.#changes.delete(conversationId);
    }
  }

  /** Resolves when all changes that have begun are durable, or have failed. */
  async settled(conversationId: string): Promise<void> {
    await Promise.allSettled(this.#changes.get(conversationId) ?? []);
  }
}

/** OpenAI's code. */
export function conversationLocked(conversationId: string, responseId: string): GgufdError {
  const id = shortenedName(conversationId);
  return new GgufdError(
    "conversation_locked",
    `Conversation '${id}' is locked: response '${responseId}' is being generated for it. Wait until it has ended, or cancel it.`,
    { param: "conversation" },
  );
}
