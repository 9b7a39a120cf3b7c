import { GgufdError, shortenName } from "../../core/errors.js";

/**
 * Locks of conversations. A response locks its conversation from the request until its items are
 * stored, so that no other items come between a question and its answer.
 */
export class ConversationLocks {
  /** Id of the open response, by conversation. */
  readonly #openResponses = new Map<string, string>();
  /** Changes of items that are not durable yet, by conversation. */
  readonly #changes = new Map<string, Set<Promise<unknown>>>();

  /** Returns the id of the response that is open for a conversation. */
  findOpenResponse(conversationId: string): string | undefined {
    return this.#openResponses.get(conversationId);
  }

  /**
   * Locks a conversation for a response.
   * @returns unlock function; may be called more than once
   * @throws {GgufdError} `conversation_locked`
   */
  lock(conversationId: string, responseId: string): () => void {
    this.expectUnlocked(conversationId);
    this.#openResponses.set(conversationId, responseId);
    return () => {
      if (this.#openResponses.get(conversationId) === responseId)
        this.#openResponses.delete(conversationId);
    };
  }

  /** @throws {GgufdError} `conversation_locked` */
  expectUnlocked(conversationId: string): void {
    const lockHolder = this.#openResponses.get(conversationId);
    if (lockHolder !== undefined) throw createLockedError(conversationId, lockHolder);
  }

  /**
   * Changes a conversation's items, and tracks the change until it is durable: a response that is
   * opened meanwhile waits for it.
   */
  async change<Result>(conversationId: string, change: () => Promise<Result>): Promise<Result> {
    const changes = this.#changes.get(conversationId) ?? new Set();
    this.#changes.set(conversationId, changes);
    const pendingChange = change();
    changes.add(pendingChange);
    try {
      return await pendingChange;
    } finally {
      changes.delete(pendingChange);
      if (changes.size === 0) this.#changes.delete(conversationId);
    }
  }

  /** Resolves when all changes that have begun are durable or have failed. */
  async waitUntilSettled(conversationId: string): Promise<void> {
    await Promise.allSettled(this.#changes.get(conversationId) ?? []);
  }
}

/** Creates the error with OpenAI's code for a locked conversation. */
export function createLockedError(conversationId: string, responseId: string): GgufdError {
  const id = shortenName(conversationId);
  return new GgufdError(
    "conversation_locked",
    `Conversation '${id}' is locked: response '${responseId}' is being generated for it. Wait until it has ended, or cancel it.`,
    { param: "conversation" },
  );
}
