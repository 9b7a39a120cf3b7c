import { Notice } from "../parts/notice.js";
import { goTo, toHash } from "../route.js";
import { rootOf } from "./branches.js";
import { titleOfConversation } from "./chat-settings.js";
import { search, searchMore, searchText } from "./conversation-search.js";
import { hiddenRoots } from "./conversations.js";
import { describeCount, type FoundConversation } from "./found-conversations.js";
import { revealItem } from "./reveal-item.js";

/** Field for the words that are searched for in all conversations. */
export function SearchField() {
  return (
    <input
      type="search"
      class="search-field"
      aria-label="Search chats"
      placeholder="Search chats"
      maxLength={200}
      value={searchText.value}
      onInput={({ currentTarget }) => {
        searchText.value = currentTarget.value;
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || searchText.value === "") return;
        // Keeps the list open on narrow screens.
        event.stopPropagation();
        searchText.value = "";
      }}
    />
  );
}

interface SearchResultsProps {
  /** Called when a result was chosen. */
  readonly onChoose: () => void;
}

/** The conversations that were found. */
export function SearchResults({ onChoose }: SearchResultsProps) {
  const shown = search.value;
  switch (shown.state) {
    case "none":
      return null;
    case "searching":
      return <p class="hint">Searching…</p>;
    case "failed":
      return <Notice message={shown.reason} />;
    case "found": {
      const hidden = hiddenRoots.value;
      const conversations = shown.conversations.filter((one) => !hidden.has(rootOf(one)));
      return (
        <>
          <p class="hint">{describeCount(conversations.length, shown.after !== undefined)}</p>
          <ul aria-label="Search results">
            {conversations.map((conversation) => (
              <Result key={conversation.id} conversation={conversation} onChoose={onChoose} />
            ))}
          </ul>
          {shown.after !== undefined && (
            <button type="button" class="link" onClick={() => void searchMore()}>
              Load more results
            </button>
          )}
        </>
      );
    }
  }
}

interface ResultProps extends SearchResultsProps {
  readonly conversation: FoundConversation;
}

function Result({ conversation, onChoose }: ResultProps) {
  const { id, match } = conversation;
  return (
    <li class="found">
      <a
        href={toHash({ view: "chat", id })}
        onClick={(event) => {
          // Opens another tab or window.
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          goTo({ view: "chat", id });
          if (match.item_id !== null) revealItem(id, match.item_id);
          onChoose();
        }}
      >
        <span class="found-title">{titleOfConversation(conversation)}</span>
        <span class="found-excerpt">
          {match.excerpt.map(({ text, is_match }, index) =>
            is_match ? <mark key={index}>{text}</mark> : text,
          )}
        </span>
      </a>
    </li>
  );
}
