import { setImmediate as nextTurn } from "node:timers/promises";
import type { Conversation, StoredItem } from "./conversation.js";
import { cutExcerpt, type ExcerptPart } from "./excerpt.js";
import { foldText } from "./fold-text.js";

/** Selects conversations. */
export interface SearchQuery<Item extends StoredItem> {
  /** Folded words, all of which a conversation contains. Empty: any conversation. */
  readonly words: readonly string[];
  /** Key and value that the metadata of a conversation contain. Absent: any metadata. */
  readonly metadata?: readonly [key: string, value: string] | undefined;
  /** Maximum number of conversations. */
  readonly limit: number;
  readonly titleOf: (conversation: Conversation<Item>) => string;
  /** Returns the text of an item that is searched; empty: none. */
  readonly textOf: (item: Item) => string;
}

/** Maximum number of words of a search. */
export const MAX_SEARCH_WORDS = 16;

/** A conversation that contains all words. */
export interface FoundConversation<Item extends StoredItem> {
  readonly conversation: Conversation<Item>;
  /** Absent if no words were searched for. */
  readonly match?: ConversationMatch<Item>;
}

export interface ConversationMatch<Item extends StoredItem> {
  /** Earliest of the items with the most words; undefined: only the title has them. */
  readonly item: Item | undefined;
  /** Surroundings of the match in the item or the title. */
  readonly excerpt: readonly ExcerptPart[];
}

export interface FoundPage<Item extends StoredItem> {
  readonly found: readonly FoundConversation<Item>[];
  readonly hasMore: boolean;
}

/** Length of a slice, in milliseconds. */
const SLICE_MS = 2;

/**
 * Searches conversations in slices of a few milliseconds, between which other requests are served.
 * @param conversations in the order of the results
 * @param signal ends the search early, with an incomplete page
 */
export async function searchConversations<Item extends StoredItem>(
  conversations: readonly Conversation<Item>[],
  query: SearchQuery<Item>,
  signal?: AbortSignal,
): Promise<FoundPage<Item>> {
  const steps = searchInSteps(conversations, query);
  let sliceEnd = performance.now() + SLICE_MS;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < sliceEnd) continue;
    await nextTurn();
    if (signal?.aborted) return { found: [], hasMore: false };
    sliceEnd = performance.now() + SLICE_MS;
  }
}

/** Yields after each small step. */
function* searchInSteps<Item extends StoredItem>(
  conversations: readonly Conversation<Item>[],
  { words, metadata, limit, titleOf, textOf }: SearchQuery<Item>,
): Generator<void, FoundPage<Item>> {
  const found: FoundConversation<Item>[] = [];
  const items = new ItemScanner(words, textOf);
  for (const conversation of conversations) {
    yield;
    if (metadata !== undefined && conversation.metadata[metadata[0]] !== metadata[1]) continue;
    const title = titleOf(conversation);
    const match = words.length === 0 ? undefined : yield* items.findMatch(conversation, title);
    if (words.length > 0 && match === undefined) continue;
    if (found.length === limit) return { found, hasMore: true };
    found.push({ conversation, ...(match && { match }) });
  }
  return { found, hasMore: false };
}

/** Length of the pieces in which a text is searched. */
const PIECE_LENGTH = 8192;
/** Longer than any folded word with its accents, which may be in two pieces. */
const OVERLAP = 1024;

/** Finds words in items. An item that several conversations share is scanned once. */
class ItemScanner<Item extends StoredItem> {
  readonly #words: readonly string[];
  readonly #textOf: (item: Item) => string;
  /** Bits of the words that each scanned item contains. */
  readonly #wordsOfItems = new Map<Item, number>();
  readonly #allWords: number;

  constructor(words: readonly string[], textOf: (item: Item) => string) {
    this.#words = words;
    this.#textOf = textOf;
    this.#allWords = 2 ** words.length - 1;
  }

  /** @returns undefined if a word is missing */
  *findMatch(
    { items }: Conversation<Item>,
    title: string,
  ): Generator<void, ConversationMatch<Item> | undefined> {
    let foundWords = yield* this.#scan(title);
    let best: Item | undefined;
    let bestCount = 0;
    for (const item of items) {
      const wordsOfItem = this.#wordsOfItems.get(item) ?? (yield* this.#scanItem(item));
      foundWords |= wordsOfItem;
      const count = countBits(wordsOfItem);
      if (count > bestCount) [best, bestCount] = [item, count];
      if (wordsOfItem === this.#allWords) break;
    }
    if (foundWords !== this.#allWords) return undefined;
    const text = best === undefined ? title : this.#textOf(best);
    return { item: best, excerpt: cutExcerpt(text, this.#words) };
  }

  *#scanItem(item: Item): Generator<void, number> {
    const found = yield* this.#scan(this.#textOf(item));
    this.#wordsOfItems.set(item, found);
    return found;
  }

  /** @returns the bits of the words that a text contains */
  *#scan(text: string): Generator<void, number> {
    let found = 0;
    for (let start = 0; start < text.length && found !== this.#allWords; start += PIECE_LENGTH) {
      const folded = foldText(text.slice(start, start + PIECE_LENGTH + OVERLAP));
      for (const [index, word] of this.#words.entries()) {
        if ((found & (1 << index)) === 0 && folded.includes(word)) found |= 1 << index;
      }
      yield;
    }
    return found;
  }
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
