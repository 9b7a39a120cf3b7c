import { type DaemonAddress, DaemonClient, DaemonError } from "./daemon-client.js";
import { LoadingBar } from "./loading-bar.js";
import type { DisplayOptions } from "./loading-display.js";
import { POLL_INTERVAL_MS, waitFor } from "./wait.js";

/** Daemon that a command connects to. */
export interface DaemonChoice extends DaemonAddress {
  /** `named`: given by `--url`; `configured`: at the address in the settings of this machine. */
  readonly selection: "named" | "configured";
}

const STARTING_STATUS = "loading model";
const ABSENT_CODES: readonly string[] = ["unreachable", "no-ggufd"];

/**
 * Connects to the daemon, waiting until it has started.
 * @throws {DaemonError} no daemon answers
 */
export async function connectToDaemon(
  choice: DaemonChoice,
  { terminal, wait = waitFor }: DisplayOptions,
): Promise<DaemonClient> {
  const daemon = new DaemonClient(choice);
  const { signal } = new AbortController();
  const bar = new LoadingBar(terminal);
  try {
    for (;;) {
      const { status, progress } = await daemon.health();
      if (status !== STARTING_STATUS) return daemon;
      bar.show(`loading at ${daemon.url}`, progress);
      await wait(POLL_INTERVAL_MS, signal);
    }
  } finally {
    bar.remove();
  }
}

/**
 * Connects to the daemon if there is one.
 * @returns `undefined` if no daemon answers at the configured address
 * @throws {DaemonError} no daemon answers at the URL given by `--url`
 */
export async function findDaemon(
  choice: DaemonChoice,
  options: DisplayOptions,
): Promise<DaemonClient | undefined> {
  try {
    return await connectToDaemon(choice, options);
  } catch (error) {
    const isPresent = !(error instanceof DaemonError) || !ABSENT_CODES.includes(error.code);
    if (isPresent || choice.selection === "named") throw error;
    return undefined;
  }
}
