/** Channel to other tabs of this browser that show the page. */
const channel = new BroadcastChannel("ggufd.conversations");

/** Notifies the other tabs that a conversation has changed, or that an answer to it has started. */
export function reportChange(id: string): void {
  channel.postMessage(id);
}

/**
 * Observes changes made elsewhere.
 * @param onChange called with the id of a conversation that another tab has changed, and without an
 *   id when the user returns to this tab
 * @returns stops observing
 */
export function followChanges(onChange: (id?: string) => void): () => void {
  const end = new AbortController();
  const { signal } = end;
  channel.addEventListener("message", ({ data }) => onChange(data), { signal });
  addEventListener("focus", () => onChange(), { signal });
  return () => end.abort();
}
