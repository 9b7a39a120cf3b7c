/**
 * Does something as long as the page can be seen, and again each time when it can be: what nobody sees costs the server
 * nothing, and a browser holds few connections open for all of its tabs.
 * @param task goes on until its signal is aborted, and never rejects
 * @returns ends it
 */
export function whileVisible(task: (end: AbortSignal) => Promise<void>): () => void {
  let current: AbortController | undefined;
  const stop = () => {
    current?.abort();
    current = undefined;
  };
  const follow = () => {
    if (document.visibilityState !== "visible") return stop();
    if (current !== undefined) return;
    current = new AbortController();
    void task(current.signal);
  };
  document.addEventListener("visibilitychange", follow);
  follow();
  return () => {
    document.removeEventListener("visibilitychange", follow);
    stop();
  };
}
