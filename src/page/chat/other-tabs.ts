/** The other tabs of this browser with this page. */
const channel = new BroadcastChannel("ggufd.conversations");

/** Tells the other tabs that a conversation has changed, or that an answer to it has begun. */
export function reportChange(id: string): void {
  channel.postMessage(id);
}

/**
 * Follows what may have changed elsewhere.
 * @param onChange called with the id of a conversation that another tab has changed, and without one when the user comes
 *   back to this tab
 * @returns ends it
 */
export function followChanges(onChange: (id?: string) => void): () => void {
  const end = new AbortController();
  const { signal } = end;
  channel.addEventListener("message", ({ data }) => onChange(data), { signal });
  addEventListener("focus", () => onChange(), { signal });
  return () => end.abort();
}
