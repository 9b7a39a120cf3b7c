import { z } from "zod";
import { DaemonClient, DaemonError } from "../daemon/daemon-client.js";
import type { DaemonChoice } from "../daemon/find-daemon.js";
import { LoadingBar } from "../daemon/loading-bar.js";
import type { DisplayOptions } from "../daemon/loading-display.js";
import { fetchServedModel, type ServedModelEntry } from "../daemon/served-models.js";
import { POLL_INTERVAL_MS, waitFor } from "../daemon/wait.js";

export interface LoadArguments {
  readonly model: string;
  readonly daemon: DaemonChoice;
}

const successResponse = z.object({ success: z.boolean() });

/**
 * Loads a model in a running daemon, and waits until it is loaded.
 * @returns the text to print
 * @throws {DaemonError} also if the model cannot be loaded
 */
export async function runLoad(
  { model, daemon: choice }: LoadArguments,
  options: DisplayOptions,
): Promise<string> {
  const daemon = new DaemonClient(choice);
  const { id, status } = await fetchServedModel(daemon, model);
  if (status.value === "loaded") return `${id}: already loaded\n`;
  await daemon.post("/models/load", { model: id }, successResponse);
  const settled = await waitUntilSettled(daemon, id, options);
  if (settled.status.value === "loaded") return `${id}: loaded\n`;
  throw new DaemonError(
    "model_unavailable",
    `${id} was not loaded: loading failed (see the daemon's log), or the model was unloaded`,
  );
}

/**
 * Unloads a model of a running daemon, and waits until its requests have ended and it is unloaded.
 * @returns the text to print
 * @throws {DaemonError}
 */
export async function runUnload(
  { model, daemon: choice }: LoadArguments,
  options: DisplayOptions,
): Promise<string> {
  const daemon = new DaemonClient(choice);
  const { id, status } = await fetchServedModel(daemon, model);
  if (status.value === "unloaded") return `${id}: not loaded\n`;
  await daemon.post("/models/unload", { model: id }, successResponse);
  const settled = await waitUntilSettled(daemon, id, options);
  return settled.status.value === "unloaded"
    ? `${id}: unloaded\n`
    : `${id}: unloaded, then loaded again by a request\n`;
}

const SETTLED_STATES: readonly string[] = ["loaded", "unloaded"];

/** Shows the progress of a model until it is loaded or unloaded. */
async function waitUntilSettled(
  daemon: DaemonClient,
  id: string,
  { terminal, wait = waitFor }: DisplayOptions,
): Promise<ServedModelEntry> {
  const { signal } = new AbortController();
  const bar = new LoadingBar(terminal);
  try {
    for (;;) {
      const entry = await fetchServedModel(daemon, id);
      const { value, progress } = entry.status;
      if (SETTLED_STATES.includes(value)) return entry;
      bar.show(`${value} ${id}`, progress);
      await wait(POLL_INTERVAL_MS, signal);
    }
  } finally {
    bar.remove();
  }
}
