import { formatReason } from "../../core/format-reason.js";
import { attachCompanion } from "../native/companion/attach-companion.js";
import { ensureAddon } from "../native/companion/compile-addon.js";
import { loadRpcAddon } from "../native/companion/native-rpc.js";
import { type Backend, noteAddedDevices } from "../native/llama-backend.js";
import type { NativeLog } from "../native/native-errors.js";
import { createWorkerError, inspectWorker } from "./inspect-worker.js";

/** Addresses of the workers that this process is connected to. */
const connectedWorkers = new Set<string>();

/**
 * Adds the devices of workers to those of a library, once per process. Each worker is inspected
 * first, because llama.cpp ends the process if it cannot connect.
 * @param addresses in the order in which their devices are numbered: `RPC0`, `RPC1`, …
 * @throws {WorkerError} names the worker and the reason
 */
export async function connectWorkers(
  llama: Backend,
  addresses: readonly string[] = [],
  log: NativeLog,
): Promise<void> {
  const newAddresses = addresses.filter((address) => !connectedWorkers.has(address));
  if (newAddresses.length === 0) return;
  await ensureAddon("rpc", log);
  const rpc = loadRpcAddon(await attachCompanion(llama));
  await Promise.all(newAddresses.map((address) => inspectWorker(address)));
  for (const address of newAddresses) {
    try {
      const devices = rpc.connect(address);
      log("info", `connected to worker ${address}: ${devices} devices`);
    } catch (error) {
      throw createWorkerError(address, formatReason(error), error);
    }
    connectedWorkers.add(address);
  }
  noteAddedDevices(llama);
}
