import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { formatWorkerAddress } from "../../config/worker-address.js";
import { formatReason } from "../../core/format-reason.js";
import { StartupError } from "../../core/startup-error.js";
import { probeBackend } from "../../engine/devices/backend-probe.js";
import { chooseBackend } from "../../engine/devices/choose-backend.js";
import { ensureAddon } from "../../engine/native/companion/compile-addon.js";
import {
  type BackendChoice,
  type GpuChoice,
  listSupportedBackends,
} from "../../engine/native/llama-backend.js";
import { readCpuTopology } from "../../engine/threads/cpu-topology.js";
import type { OfferableDevice } from "../../process/worker-protocol.js";
import { listOfferableDevices, WorkerServer } from "../../process/worker-server.js";
import { preview } from "../../validation/preview.js";
import { parseListen, type WorkerArguments } from "./worker-options.js";
import { formatWorkerScreen } from "./worker-screen.js";

const GIB = 2 ** 30;

/**
 * Serves this machine's devices to the engines of other machines.
 * @param signal ends the worker and all its connections
 */
export async function runWorker(
  { listen, gpu, devices: wantedDevices, memoryGiB, threads, cacheDir, network }: WorkerArguments,
  { stdout, stderr }: Pick<NodeJS.Process, "stdout" | "stderr">,
  signal: AbortSignal,
): Promise<void> {
  const address = parseListen(listen, network);
  const log = (line: string) => void stderr.write(`ggufd worker: ${line}\n`);
  for (const addon of ["companion", "rpc"] as const) {
    await ensureAddon(addon, (_level, message) => log(message));
  }
  const backend = await findBackend(gpu);
  const devices = chooseOfferedDevices(await listOfferableDevices(backend), wantedDevices);
  const server = await WorkerServer.start(
    {
      offer: {
        gpu: backend,
        devices: devices.map(({ name }) => name),
        threads: threads ?? readCpuTopology().performanceCores,
        cacheFolder: cacheDir === "none" ? undefined : openCacheFolder(cacheDir),
      },
      memoryBytes: memoryGiB === undefined ? undefined : memoryGiB * GIB,
      log,
    },
    address,
  );
  const boundAddress = formatWorkerAddress({ ...address, port: server.port });
  stdout.write(
    formatWorkerScreen({ address: boundAddress, devices, memoryGiB, cacheDir, network }),
  );
  await new Promise<void>((stop) => {
    if (signal.aborted) stop();
    signal.addEventListener("abort", () => stop());
  });
  server.close();
}

/**
 * Returns the devices that a worker offers: the wanted ones, else all GPUs, else the CPU, as in
 * llama.cpp's rpc-server.
 * @throws {StartupError} a wanted device does not exist
 */
export function chooseOfferedDevices(
  available: readonly OfferableDevice[],
  wanted: readonly string[],
): readonly OfferableDevice[] {
  if (wanted.length === 0) {
    const gpus = available.filter(({ isGpu }) => isGpu);
    return gpus.length > 0 ? gpus : available.filter(({ name }) => name === "CPU");
  }
  return wanted.map((name) => {
    const device = available.find((one) => one.name === name);
    if (device !== undefined) return device;
    const names = available.map((one) => one.name).join(", ");
    throw new StartupError(`--device: expected one of: ${names}; got ${preview(name)}`);
  });
}

/** Returns the backend to use; `auto` is the first one that finds a device, else the CPU. */
async function findBackend(gpu: GpuChoice): Promise<BackendChoice> {
  if (gpu !== "auto") return gpu;
  const supported = await listSupportedBackends();
  return (await chooseBackend(supported, (backend) => probeBackend({ backend }))).gpu;
}

/**
 * Creates the folder of cached weights, and removes files that a killed worker left incomplete.
 * @throws {StartupError} the folder cannot be used
 */
function openCacheFolder(folder: string): string {
  const path = resolve(folder);
  try {
    mkdirSync(path, { recursive: true });
    const incompleteFiles = readdirSync(path).filter((name) => name.endsWith(".tmp"));
    for (const name of incompleteFiles) rmSync(join(path, name), { force: true });
    return path;
  } catch (error) {
    throw new StartupError(`--cache-dir ${folder}: cannot be used: ${formatReason(error)}`, error);
  }
}
