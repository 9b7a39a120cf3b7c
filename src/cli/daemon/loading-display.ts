import type { ProgressTerminal } from "../../serve/start-screen.js";
import type { DaemonClient } from "./daemon-client.js";
import { LoadingBar } from "./loading-bar.js";
import { fetchServedModels } from "./served-models.js";
import { POLL_INTERVAL_MS, type Wait, waitFor } from "./wait.js";

export interface DisplayOptions {
  readonly terminal: ProgressTerminal;
  /** @default waitFor */
  readonly wait?: Wait;
}

/**
 * Shows on a terminal which model a daemon is loading while a request waits for its answer.
 * @returns a function that removes the bar for good
 */
export function showLoading(
  daemon: DaemonClient,
  { terminal, wait = waitFor }: DisplayOptions,
): () => void {
  if (!terminal.isTTY) return () => undefined;
  const bar = new LoadingBar(terminal);
  const end = new AbortController();
  void followLoading(daemon, { bar, wait, signal: end.signal });
  return () => {
    end.abort();
    bar.remove();
  };
}

interface FollowOptions {
  readonly bar: LoadingBar;
  readonly wait: Wait;
  readonly signal: AbortSignal;
}

async function followLoading(
  daemon: DaemonClient,
  { bar, wait, signal }: FollowOptions,
): Promise<void> {
  while (!signal.aborted) {
    await wait(POLL_INTERVAL_MS, signal);
    if (signal.aborted) return;
    // Errors are ignored here; the waiting request reports them.
    const models = await fetchServedModels(daemon).catch(() => []);
    const loadingModel = models.find(({ status }) => status.value === "loading");
    if (signal.aborted || loadingModel === undefined) continue;
    bar.show(`loading ${loadingModel.id}`, loadingModel.status.progress);
  }
}
