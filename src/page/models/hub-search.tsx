import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { HubSearchResult } from "../../api/models/hub-search.js";
import { messageOf } from "../api/api-error.js";
import { announce } from "../parts/announcer.js";
import { Notice } from "../parts/notice.js";
import { client } from "../session.js";
import { HubRepositoryView } from "./hub-repository.js";

type Search =
  | { readonly state: "none" }
  | { readonly state: "running" }
  | { readonly state: "failed"; readonly reason: string }
  | { readonly state: "found"; readonly result: HubSearchResult };

interface HubSearchProps {
  /** Text to search for at once. @default none */
  readonly initialText?: string | undefined;
}

/** Search of the Hugging Face hub, by the server. */
export function HubSearch({ initialText = "" }: HubSearchProps) {
  const [text, setText] = useState(initialText);
  const [search, setSearch] = useState<Search>({ state: "none" });
  const running = useRef<AbortController>(undefined);
  const fieldId = useId();
  const query = text.trim();
  const begin = async () => {
    running.current?.abort();
    if (query === "") return;
    const controller = new AbortController();
    running.current = controller;
    setSearch({ state: "running" });
    try {
      const path = `/v1/models/search?query=${encodeURIComponent(query)}`;
      const result = await client.json<HubSearchResult>(path, { signal: controller.signal });
      if (controller.signal.aborted) return;
      setSearch({ state: "found", result });
      announce(countRepositories(result));
    } catch (error) {
      if (!controller.signal.aborted) setSearch({ state: "failed", reason: messageOf(error) });
    }
  };
  useEffect(() => {
    void begin();
    return () => running.current?.abort();
  }, []);
  return (
    <>
      <form
        class="card-form"
        onSubmit={(event) => {
          event.preventDefault();
          void begin();
        }}
      >
        <label for={fieldId}>Search Hugging Face</label>
        <div class="field">
          <input
            id={fieldId}
            type="search"
            autocomplete="off"
            spellcheck={false}
            maxLength={200}
            placeholder="qwen3 4b"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <button type="submit" disabled={query === ""}>
            Search
          </button>
        </div>
      </form>
      <SearchResult search={search} onRetry={() => void begin()} />
    </>
  );
}

function SearchResult({ search, onRetry }: { search: Search; onRetry: () => void }) {
  switch (search.state) {
    case "none":
      return null;
    case "running":
      return (
        <p class="hint" role="status">
          Searching…
        </p>
      );
    case "failed":
      return (
        <Notice message={`${search.reason} Models can still be downloaded by their exact names.`}>
          <button type="button" onClick={onRetry}>
            Try again
          </button>
        </Notice>
      );
    case "found":
      return <FoundRepositories result={search.result} />;
  }
}

function FoundRepositories({ result }: { readonly result: HubSearchResult }) {
  const { data } = result;
  if (data.length === 0) return <p class="hint">No repositories with GGUF files found.</p>;
  return (
    <>
      <p class="hint">
        Memory is estimated from the size of the files. The server plans it exactly before it loads
        a model.
      </p>
      <ul class="cards" aria-label="Search results">
        {data.map((repository, index) => (
          <HubRepositoryView
            key={repository.id}
            repository={repository}
            result={result}
            isOpen={index === 0}
          />
        ))}
      </ul>
    </>
  );
}

function countRepositories({ data }: HubSearchResult): string {
  return data.length === 1 ? "1 repository found" : `${data.length} repositories found`;
}
