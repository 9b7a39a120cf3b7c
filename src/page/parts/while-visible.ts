/**
 * Runs a task while the page is visible, and again whenever it becomes visible. Hidden pages cost
 * the server nothing, and browsers limit the connections of all tabs together.
 * @param task runs until its signal is aborted; never rejects
 * @returns stops the task
 */
export function runWhileVisible(task: (end: AbortSignal) => Promise<void>): () => void {
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
