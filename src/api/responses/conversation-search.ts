/** Search of conversations: an extension of OpenAI's API. */
import { foldWords } from "../../conversations/fold-text.js";
import {
  type ConversationMatch,
  MAX_SEARCH_WORDS,
  type SearchQuery,
} from "../../conversations/search-conversations.js";
import { nonEmptyParameter, textParameter } from "../../validation/parameters.js";
import type { StoredItem } from "./item-schema.js";
import type { ListedConversation } from "./response-schema.js";

const MAX_QUERY_LENGTH = 200;
const queryError = `expected 1 to ${MAX_SEARCH_WORDS} words of at most ${MAX_QUERY_LENGTH} characters together`;

/** Query parameters that select conversations. */
export const searchParameters = {
  query: textParameter()
    .max(MAX_QUERY_LENGTH, { error: queryError })
    .refine(hasValidWordCount, { error: queryError })
    .optional()
    .meta({
      description:
        "Words that the title (`metadata.title`) and the messages of a conversation contain together, regardless of case and accents. Each result has a `match`.",
      example: "sourdough",
    }),
  metadata: nonEmptyParameter()
    .regex(/^[^:]+:/, { error: "expected KEY:VALUE" })
    .optional()
    .meta({
      description: "`KEY:VALUE`: a pair that the metadata of a conversation contain.",
      example: "pinned:true",
    }),
};

interface SearchParameters {
  readonly query?: string | undefined;
  readonly metadata?: string | undefined;
}

function hasValidWordCount(query: string): boolean {
  const { length } = foldWords(query);
  return length > 0 && length <= MAX_SEARCH_WORDS;
}

/** Builds the search for query parameters. */
export function toSearch({
  query,
  metadata,
}: SearchParameters): Omit<SearchQuery<StoredItem>, "limit"> {
  return {
    words: foldWords(query ?? ""),
    metadata: metadata === undefined ? undefined : splitPair(metadata),
    titleOf: (conversation) => conversation.metadata.title ?? "",
    textOf: textOfItem,
  };
}

function splitPair(pair: string): readonly [key: string, value: string] {
  const colon = pair.indexOf(":");
  return [pair.slice(0, colon), pair.slice(colon + 1)];
}

/** Returns the text of a message; empty for other items. */
function textOfItem(item: StoredItem): string {
  if (item.type !== "message") return "";
  const texts = item.content.map((part) => {
    if (part.type === "refusal") return part.refusal;
    return "text" in part ? part.text : "";
  });
  return texts.filter((text) => text !== "").join("\n");
}

export function toMatchObject({
  item,
  excerpt,
}: ConversationMatch<StoredItem>): NonNullable<ListedConversation["match"]> {
  return { item_id: item?.id ?? null, excerpt: excerpt.map((part) => ({ ...part })) };
}
