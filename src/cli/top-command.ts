import { setTimeout as sleep } from "node:timers/promises";
import { parseServerUrl } from "./daemon/server-url.js";
import { createInterruptSignal } from "./interrupt-signal.js";
import { readMetrics } from "./top/read-metrics.js";
import { onQuitKey, openScreen, printOnce, showLive, type TopOptions } from "./top/run-top.js";

export interface TopArguments {
  readonly url: string;
  readonly intervalSeconds: number;
  /** `once`: the table of one interval as plain text, which is also used without a terminal. */
  readonly mode: "live" | "once";
  readonly apiKey?: string | undefined;
}

/**
 * Shows live metrics of a running daemon.
 * @throws {StartupError} the URL is invalid, or in mode `once` the server cannot be read
 */
export async function runTop({
  intervalSeconds,
  mode,
  apiKey,
  ...target
}: TopArguments): Promise<void> {
  const url = parseServerUrl(target.url);
  const quitController = new AbortController();
  const options: TopOptions = {
    url,
    intervalMs: intervalSeconds * 1000,
    read: () => readMetrics({ url, apiKey }),
    wait: (ms) => sleep(ms, undefined, { signal: quitController.signal }).catch(() => undefined),
  };
  if (mode === "once" || !process.stdout.isTTY) {
    process.stdout.write(await printOnce(options));
    return;
  }
  const interrupted = createInterruptSignal(() => new Error("interrupted"));
  interrupted.addEventListener("abort", () => quitController.abort());
  const screen = openScreen(process.stdout);
  const releaseKeys = onQuitKey(process.stdin, () => quitController.abort());
  try {
    await showLive(options, screen, quitController.signal);
  } finally {
    releaseKeys();
    screen.close();
  }
}
