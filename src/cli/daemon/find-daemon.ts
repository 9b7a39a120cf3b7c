import { type DaemonAddress, DaemonClient, DaemonError } from "./daemon-client.js";
import { LoadingBar } from "./loading-bar.js";
import type { DisplayOptions } from "./loading-display.js";
import { POLL_INTERVAL_MS, waitFor } from "./wait.js";

/** Which daemon a command speaks to. */
export interface DaemonChoice extends DaemonAddress {
  /** `named`: by `--url`; `configured`: where a daemon with the settings of this machine would be. */
  readonly by: "named" | "configured";
}

const STARTING = "loading model";
const NOBODY: readonly string[] = ["unreachable", "no-ggufd"];

/**
 * The daemon that is meant, when it has started.
 * @throws {DaemonError} none answers
 */
export async function expectDaemon(
  choice: DaemonChoice,
  { terminal, wait = waitFor }: DisplayOptions,
): Promise<DaemonClient> {
  const daemon = new DaemonClient(choice);
  const { signal } = new AbortController();
  const bar = new LoadingBar(terminal);
  try {
    for (;;) {
      const { status, progress } = await daemon.health();
      if (status !== STARTING) return daemon;
      bar.show(`loading at ${daemon.url}`, progress);
      await wait(POLL_INTERVAL_MS, signal);
    }
  } finally {
    bar.remove();
  }
}

/**
 * The same, where it need not be there.
 * @returns `undefined`: none answers where one is configured
 * @throws {DaemonError} none answers at a URL that was named
 */
export async function findDaemon(
  choice: DaemonChoice,
  options: DisplayOptions,
): Promise<DaemonClient | undefined> {
  try {
    return await expectDaemon(choice, options);
  } catch (error) {
    const isThere = !(error instanceof DaemonError) || !NOBODY.includes(error.code);
    if (isThere || choice.by === "named") throw error;
    return undefined;
  }
}
