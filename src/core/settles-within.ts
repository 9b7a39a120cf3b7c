/**
 * Waits for a promise, but no longer than a limit, in milliseconds, or until a signal aborts.
 * @returns whether it has settled by then
 * @throws what the promise rejects with
 */
export async function settlesWithin(
  promise: Promise<unknown>,
  limitMs: number,
  signal?: AbortSignal,
): Promise<boolean> {
  let giveUp: () => void = () => undefined;
  const limit = new Promise<boolean>((resolve) => {
    giveUp = () => resolve(false);
  });
  const timer = setTimeout(giveUp, limitMs);
  signal?.addEventListener("abort", giveUp);
  if (signal?.aborted) giveUp();
  try {
    return await Promise.race([promise.then(() => true), limit]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}
