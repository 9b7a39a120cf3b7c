/**
 * Waits for a promise until it settles, a time limit in milliseconds has passed, or a signal is
 * aborted.
 * @returns whether the promise has settled by then
 * @throws the promise's rejection reason
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
