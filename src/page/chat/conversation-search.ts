import { effect, signal } from "@preact/signals";
import { messageOf } from "../api/api-error.js";
import { announce } from "../parts/announcer.js";
import { onSessionEnd } from "../session.js";
import { readPage } from "./conversations.js";
import { describeCount, type FoundConversation, listDistinct } from "./found-conversations.js";

/** Text in the search field. */
export const searchText = signal("");

/** Result of a search. */
export type Search =
  /** Nothing is searched for. */
  | { readonly state: "none" }
  | { readonly state: "searching" }
  | {
      readonly state: "found";
      readonly conversations: readonly FoundConversation[];
      /** Id of the last result, if there are more. */
      readonly after: string | undefined;
    }
  | { readonly state: "failed"; readonly reason: string };

export const search = signal<Search>({ state: "none" });

onSessionEnd(() => {
  searchText.value = "";
  search.value = { state: "none" };
});

/** Time without typing after which a search starts. */
const DELAY_MS = 200;
/** As many results as the list shows at once. */
const PAGE_SIZE = "30";

/** Searches while the text changes. @returns stops it */
export function followSearchText(): () => void {
  let current = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  return effect(() => {
    const text = searchText.value.trim();
    clearTimeout(timer);
    current.abort();
    current = new AbortController();
    const { signal: end } = current;
    if (text === "") {
      search.value = { state: "none" };
      return;
    }
    if (search.peek().state === "none") search.value = { state: "searching" };
    timer = setTimeout(() => void run(text, end), DELAY_MS);
  });
}

async function run(query: string, end: AbortSignal): Promise<void> {
  try {
    const page = await readPage({ query, limit: PAGE_SIZE }, end);
    if (end.aborted) return;
    const found = listDistinct([], page.data);
    search.value = { state: "found", conversations: found, after: nextAfter(page) };
    announce(describeCount(found.length, page.has_more));
  } catch (error) {
    if (!end.aborted) search.value = { state: "failed", reason: messageOf(error) };
  }
}

function nextAfter(page: { readonly has_more: boolean; readonly last_id: string }) {
  return page.has_more ? page.last_id : undefined;
}

/** Reads further results. */
export async function searchMore(): Promise<void> {
  const before = search.value;
  if (before.state !== "found" || before.after === undefined) return;
  try {
    const query = searchText.value.trim();
    const page = await readPage({ query, limit: PAGE_SIZE, after: before.after });
    if (search.value !== before) return;
    const found = listDistinct(before.conversations, page.data);
    search.value = { state: "found", conversations: found, after: nextAfter(page) };
  } catch (error) {
    if (search.value === before) search.value = { state: "failed", reason: messageOf(error) };
  }
}
